// Nothing: headers that tests share are compiled beside it.
int main() {}
