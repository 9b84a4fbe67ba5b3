# A mix of what Perl programs do: hashes, regular expressions, string building, sorting, calls, numbers.
my $rounds = $ARGV[0];
my $seed = 42;
sub random { $seed = ($seed * 1103515245 + 12345) % 2147483648; return $seed; }
sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }

for my $round (1 .. $rounds) {
  my %count;
  my $text = '';
  for (1 .. 60000) {
    my $word = sprintf('w%x', random() % 4096);
    $text .= $word . ' ';
    $count{$word}++;
  }
  my @common = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 4];
  print join(' ', map { "$_:$count{$_}" } @common), "\n";
  my $found = 0;
  while ($text =~ /\bw([0-9])([a-f]+)\b/g) { $found += length($2) * $1; }
  (my $changed = $text) =~ s/([a-f])(\d)/<$2$1>/g;
  print "$found ", length($changed), ' ', ($changed =~ tr/<//), "\n";
  my @numbers = map { random() % 100000 } 1 .. 40000;
  my @sorted = sort { $a <=> $b } @numbers;
  my $sum = 0;
  $sum += $sorted[$_] * ($_ % 7) for 0 .. $#sorted;
  print "$sum ", fib(19), "\n";
  my @fields = map { [split /,/, "$_,name$_," . $_ * 3] } 1 .. 20000;
  print scalar(grep { $_->[1] =~ /9$/ && $_->[2] % 2 } @fields), ' ', join('-', reverse @{ $fields[77] }), "\n";
}
