#!/usr/bin/env python3
"""check_includes.py finds what it is there to find: small trees with one mistake each."""

import tempfile
import unittest
from pathlib import Path

from check_includes import check

PAGE = """# Architecture
    ignored/
## Folders

    runtime/        text
      hdf5/         text
      engine/
        cpu/        text
          lanes/ tiles/
        cuda/
      cli/
      commands/
    data/           text
      commands/     text
    calibrate/
    train/

## Others
    ignored/
"""


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        for folder in ("runtime/hdf5", "runtime/engine/cpu/lanes", "runtime/engine/cpu/tiles",
                       "runtime/engine/cuda", "runtime/cli", "runtime/commands", "data/commands", "calibrate",
                       "train"):
            self.write(f"{folder}/good.cc", '#include <string>\n#include "runtime/hdf5/file.h"\n')
        self.write("runtime/main.cc", '#include "runtime/commands/commands.h"\n')
        self.write("ARCHITECTURE.md", PAGE)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def mistakes_of(self, name, text, exceptions=()):
        self.write(name, text)
        return check(self.root, exceptions)

    def expect(self, name, include, *parts):
        """That this include is a mistake, found in the second line."""
        mistakes = self.mistakes_of(name, f"\n#include {include}\n")
        self.assertEqual(len(mistakes), 1, mistakes)
        for part in (f"{name}:2: includes {include[1:-1]}", *parts):
            self.assertIn(part, mistakes[0])

    def test_a_sound_tree_has_none(self):
        self.assertEqual(check(self.root, ()), [])

    def test_the_order_of_folders(self):
        self.expect("runtime/hdf5/a.h", '"runtime/engine/engine.h"',
                    "runtime/hdf5 comes before runtime/engine")

    def test_the_order_of_programs(self):
        self.expect("runtime/commands/a.cc", '"data/trace.h"', "runtime/commands comes before data")

    def test_a_programs_own_files_come_before_its_folders(self):
        self.expect("data/trace.h", '"data/commands/commands.h"', "data comes before data/commands")

    def test_a_folders_own_files_come_before_its_sub_folders(self):
        self.expect("runtime/engine/a.cc", '"runtime/engine/cpu/kernels.h"',
                    "runtime/engine comes before runtime/engine/cpu")
        self.write("runtime/engine/a.cc", "")
        self.expect("runtime/engine/cpu/a.cc", '"runtime/engine/cpu/tiles/tiles.h"',
                    "runtime/engine/cpu comes before runtime/engine/cpu/tiles")

    def test_the_order_of_sub_folders(self):
        self.expect("runtime/engine/cpu/lanes/a.h", '"runtime/engine/cpu/tiles/tiles.h"',
                    "runtime/engine/cpu/lanes comes before runtime/engine/cpu/tiles")
        self.write("runtime/engine/cpu/lanes/a.h", "")
        self.expect("runtime/engine/cpu/tiles/b.h", '"runtime/engine/cuda/kernels.h"',
                    "runtime/engine/cpu/tiles comes before runtime/engine/cuda")

    def test_what_a_sub_folder_may_include(self):
        for include in ("runtime/hdf5/file.h", "runtime/engine/engine.h", "runtime/engine/cpu/kernels.h",
                        "runtime/engine/cpu/lanes/lanes.h", "runtime/engine/cpu/tiles/tiles.h"):
            self.assertEqual(self.mistakes_of("runtime/engine/cpu/tiles/a.h", f'#include "{include}"\n'), [])

    def test_headers_have_names_of_their_own(self):
        self.write("runtime/engine/a.h", "")
        self.assertEqual(self.mistakes_of("data/a.h", ""), ["data/a.h: runtime/engine/a.h has the same name"])
        self.root.joinpath("data/a.h").unlink()
        self.write("runtime/commands/commands.h", "")
        self.assertEqual(self.mistakes_of("data/commands/commands.h", ""), [])

    def test_commands_of_another_program(self):
        self.expect("data/commands/a.cc", '"runtime/commands/commands.h"', "runtime/inference")
        self.root.joinpath("data/commands/a.cc").unlink()
        self.expect("calibrate/a.cc", '"data/commands/commands.h"', "another program's commands")

    def test_calibrate_and_train(self):
        self.expect("train/a.cc", '"calibrate/a.h"', "do not know each other")

    def test_the_command_line(self):
        self.expect("calibrate/a.cc", '"runtime/cli/progress.h"', "only cli/ and commands/ enter the command line")
        self.write("calibrate/a.cc", "")
        for name in ("calibrate/main.cc", "data/commands/a.cc", "runtime/cli/a.cc"):
            self.assertEqual(self.mistakes_of(name, '#include "runtime/cli/progress.h"\n'), [])

    def test_every_way_to_write_an_include(self):
        self.expect("runtime/hdf5/a.h", "<runtime/engine/engine.h>", "runtime/hdf5 comes before runtime/engine")
        self.expect("runtime/hdf5/a.h", '"../engine/engine.h"', "from the root")
        self.expect("runtime/hdf5/a.h", '"runtime/hdf5/../engine/engine.h"', "from the root")

    def test_kernels(self):
        self.expect("runtime/cli/a.cc", '"runtime/engine/cpu/kernels.h"', "only runtime/engine")

    def test_libraries_of_others(self):
        for name, include in (("runtime/engine/a.cc", "<hdf5.h>"), ("runtime/engine/a.cc", "<CLI/CLI.hpp>"),
                              ("calibrate/a.cc", "<toml++/toml.h>"), ("calibrate/a.cc", "<torch/torch.h>"),
                              ("calibrate/a.cc", '"ATen/ATen.h"')):
            self.expect(name, include, "only")
            self.write(name, "")
        self.assertEqual(self.mistakes_of("runtime/hdf5/a.cc", "#include <hdf5.h>\n"), [])
        self.assertEqual(self.mistakes_of("data/commands/a.cc", "#include <CLI/CLI.hpp>\n"), [])

    def test_a_folder_that_is_not_listed(self):
        self.assertEqual(self.mistakes_of("runtime/engine/sycl/a.cc", ""),
                         ["ARCHITECTURE.md: runtime/engine/sycl/ is not listed"])

    def test_a_folder_that_is_not_there(self):
        self.assertEqual(self.mistakes_of("ARCHITECTURE.md", PAGE.replace("cuda/", "cuda/ sycl/")),
                         ["ARCHITECTURE.md: runtime/engine/sycl/ is listed, and there is none"])

    def test_exceptions(self):
        known = ("runtime/hdf5/a.h", r"runtime/engine/.*\.h", "why")
        include = '#include "runtime/engine/engine.h"\n'
        self.assertEqual(self.mistakes_of("runtime/hdf5/a.h", include, [known]), [])
        self.assertIn("no longer needed", self.mistakes_of("runtime/hdf5/a.h", "", [known])[0])


if __name__ == "__main__":
    unittest.main()
