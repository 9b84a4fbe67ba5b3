# Children whose output comes back through pipes, and one that writes itself.
x=$(date +%N)
echo "$x"
ls / | wc -l
exit 3
