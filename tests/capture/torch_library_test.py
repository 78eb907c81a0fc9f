"""The operator hook loads only a library that is this user's, out of a folder that nobody else can write."""
import hashlib
import os
import sys
import tempfile
import types
import unittest

ROOT = os.environ.get("LACUNA_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "capture", "python"))
import lacuna_torch  # noqa: E402


class TorchLibrary(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.environ["XDG_CACHE_HOME"] = self.folder.name
        # A torch without headers: nothing can be built against it.
        self.torch = types.SimpleNamespace(__version__="9.9.9", __file__=os.path.join(self.folder.name, "torch", "x.py"),
                                           _C=types.SimpleNamespace(_GLIBCXX_USE_CXX11_ABI=True))
        self.cache = os.path.join(self.folder.name, "lacuna")
        os.mkdir(self.cache, 0o700)
        with open(os.path.join(ROOT, "capture", "python", "torch_operators.cpp"), "rb") as file:
            source = file.read()
        parts = [source, b"9.9.9", os.path.dirname(self.torch.__file__).encode(), b"1"]
        key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
        self.library = os.path.join(self.cache, "torch-9.9.9-%s.so" % key)

    def put(self, mode):
        with open(self.library, "wb"):
            pass
        os.chmod(self.library, mode)

    def assert_refused(self):
        with self.assertRaises(lacuna_torch._Unavailable):
            lacuna_torch._library(self.torch)

    def test_one_of_its_own_is_loaded(self):
        self.put(0o700)
        self.assertEqual(lacuna_torch._library(self.torch), self.library)

    def test_one_that_others_can_write_is_not(self):
        for mode in (0o722, 0o777, 0o720):
            self.put(mode)
            self.assert_refused()

    def test_nor_is_a_link(self):
        with open(os.path.join(self.folder.name, "theirs.so"), "wb"):
            pass
        os.symlink(os.path.join(self.folder.name, "theirs.so"), self.library)
        self.assert_refused()

    def test_nor_is_one_in_a_folder_of_others(self):
        self.put(0o700)
        os.chmod(self.cache, 0o777)
        self.assert_refused()
        os.chmod(self.cache, 0o700)
        if os.geteuid() == 0:
            os.chown(self.library, 12345, -1)
            self.assert_refused()


unittest.main(verbosity=2)
