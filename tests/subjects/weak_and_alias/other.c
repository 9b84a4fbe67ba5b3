int overridden(void) { return 20; }
int replaced_alias(void) { return 50; }
