#pragma once
inline int counter() {
  static int count = 0;
  return ++count;
}

template <typename T>
struct Box {
  virtual ~Box() {}
  virtual T get() const { return value; }
  T value{};
};

inline int (*address_of_counter())() { return counter; }

int in_other_unit();
int (*counter_of_other_unit())();
Box<int>* box_of_other_unit();
int static_of_other_unit();
