// A pointer to an element is kept while the vector grows: what is written through it is lost. Nothing else gets the old
// memory, so that no alteration of the heap changes what is printed.
#include <cstdio>
#include <vector>

struct Account {
  int number;
  int balance;
  int fees[6];
};

static std::vector<Account> accounts;

__attribute__((noinline)) static Account* open_account(int number) {
  accounts.push_back({number, 0, {}});  // grows
  return &accounts.back();
}

int main() {
  Account* first = open_account(1);
  Account* second = open_account(2);  // moves
  first->balance += 100;              // stale
  second->balance += 50;
  int sum = 0;
  for (const Account& each : accounts) sum += each.balance;
  std::printf("%d\n", sum);
  return 0;
}
