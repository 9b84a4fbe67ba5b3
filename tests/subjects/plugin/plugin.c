int service(int);
int run(void) { return service(2); }
