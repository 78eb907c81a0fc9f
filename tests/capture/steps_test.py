#!/usr/bin/env python3
"""Which calls are training steps: capture/python/lacuna_steps.py by itself, without PyTorch."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "capture" / "python"))
import lacuna_steps  # noqa: E402


class Optimizer:
    pass


class Steps(unittest.TestCase):
    def setUp(self):
        self.told = []
        self.steps = lacuna_steps.Steps(self.told.append)

    def test_one_optimizer(self):
        optimizer = Optimizer()
        for _ in range(3):
            self.steps.optimizer_stepped(optimizer)
        self.assertEqual(self.told, [0, 1, 2])

    def test_two_optimizers_are_one_series(self):
        generator, discriminator = Optimizer(), Optimizer()
        for _ in range(5):
            self.steps.optimizer_stepped(discriminator)
            self.steps.optimizer_stepped(generator)
        self.assertEqual(len(self.told), 5)

    def test_a_second_optimizer_takes_over(self):
        first, second = Optimizer(), Optimizer()
        self.steps.optimizer_stepped(first)
        for _ in range(6):
            self.steps.optimizer_stepped(second)
        self.assertEqual(len(self.told), 1 + 6 - (lacuna_steps._MOST_OTHERS - 1))
        del first, second
        third = Optimizer()
        self.steps.optimizer_stepped(third)  # the one before is gone
        self.assertEqual(len(self.told), 1 + 6 - (lacuna_steps._MOST_OTHERS - 1) + 1)

    def test_the_profiler_counts_while_it_is_stepped(self):
        optimizer = Optimizer()
        for _ in range(2):
            self.steps.optimizer_stepped(optimizer)
        self.steps.profiler_started()
        for _ in range(4):
            self.steps.optimizer_stepped(optimizer)
            self.steps.profiler_stepped()
        self.steps.profiler_stopped()
        self.steps.optimizer_stepped(optimizer)
        self.assertEqual(self.told, list(range(2 + 4 + 1)))

    def test_a_profiler_without_steps_or_optimizer(self):
        self.steps.profiler_started()
        optimizer = Optimizer()
        for _ in range(3):
            self.steps.optimizer_stepped(optimizer)  # nobody calls prof.step()
        self.steps.profiler_stopped()
        self.assertEqual(self.told, [0, 1, 2])
        self.steps.profiler_started()
        for _ in range(3):
            self.steps.profiler_stepped()  # a loop without an optimizer
        self.assertEqual(self.told, list(range(6)))


if __name__ == "__main__":
    unittest.main()
