#!/usr/bin/env python3
"""Commands write what is kept of them, to the last letter; whole_outputs.py says how to renew it."""
import os
import unittest

import whole_outputs


class WholeOutputs(unittest.TestCase):
    maxDiff = 4000

    def test_commands_write_what_is_kept(self):
        found = whole_outputs.all_written(os.environ["LACUNA_BIN"])
        self.assertEqual(sorted(found), sorted(path.stem for path in whole_outputs.KEPT.iterdir()))
        for name, text in found.items():
            with self.subTest(name=name):
                self.assertEqual((whole_outputs.KEPT / f"{name}.txt").read_text(encoding="utf-8"), text)


if __name__ == "__main__":
    unittest.main()
