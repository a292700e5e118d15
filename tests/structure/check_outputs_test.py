#!/usr/bin/env python3
"""check_outputs.py finds outputs written without a common writer, and nothing else."""

import unittest

from check_outputs import check
from one_line import OneLine


class CheckOutputs(OneLine):
    check = check
    name = "data/store/a.cc"

    def test_every_way_to_write(self):
        for line in ("std::ofstream file(path);", "std::fstream file;", "std::cerr << text;", "std::cout << 1;",
                     'fprintf(stderr, "%d", 1);', 'std::printf("x");', 'fmt::print("x");',
                     "fmt::print(stderr, text);", 'fopen(path, "r");', "std::fwrite(p, 1, n, file);",
                     "::open(path, O_WRONLY | O_CLOEXEC);", "::open(path,\n O_CREAT);", "::write(1, p, n);",
                     "H5Fcreate(name, 0, 0, 0);", "perror(name);", "FILE* log = stderr;"):
            mistakes = self.mistakes_of(line)
            self.assertGreaterEqual(len(mistakes), 1, line)
            self.assertTrue(mistakes[0].startswith("data/store/a.cc:2: "), mistakes)
            self.assertIn("use ", mistakes[0])

    def test_what_is_no_output(self):
        for line in ("std::ifstream file(path);", "::open(path, O_RDONLY | O_CLOEXEC);",
                     "// std::cout is not used", 'log("fopen(path) and std::cerr");', "#include <fstream>",
                     "print_log(text);", "void Store::write(int shard) {}", "snprintf(p, n, format);",
                     "fmt::format(text);", "/* fprintf(\n stderr) */"):
            self.assertEqual(self.mistakes_of(line), [], line)

    def test_the_common_writers(self):
        self.assertEqual(self.mistakes_of("::write(1, p, n);", "runtime/base/descriptors.cc"), [])
        self.assertNotEqual(self.mistakes_of("::write(1, p, n);", "runtime/base/hash.cc"), [])

    def test_exceptions(self):
        known = ("data/store/a.cc", "std::ofstream", "why")
        self.assertEqual(self.mistakes_of("std::ofstream file;", exceptions=[known]), [])
        self.assertIn("no longer needed", self.mistakes_of("", exceptions=[known])[0])


if __name__ == "__main__":
    unittest.main()
