"""Tests of `stages`: `python3 -m unittest harness.test_stages` in `bench`."""

import unittest

from harness import stages

PROFILE = """\
events: Ir
fn=(1) stages::main
cfn=(2) stages::stage_read'2
calls=2 10
10 500
cfn=(3) stages::stage_cut
calls=1 10
+3 200
12 7
fn=(2)
11 30
cfn=(4) malloc
calls=9 12
11 470
fn=(5) other
cfn=(2)
calls=1 10
* 100
"""


def counts(pages: str = "a", **stages_of: int) -> stages.Counts:
    return stages.Counts("rustc 1", "Linux-x86_64", pages, stages_of)


class Stages(unittest.TestCase):
    def test_costs_are_those_of_calls(self) -> None:
        self.assertEqual(stages.inclusive(PROFILE), {"read": 600, "cut": 200})

    def test_a_stage_may_be_a_difference(self) -> None:
        functions = {formula.split(" - ")[0]: 100 for formula in stages.SHOWN.values()}
        found = stages.of_functions(functions | {"read": 300})
        self.assertEqual((found["tree"], found["cut"]), (200, 100))
        with self.assertRaises(SystemExit):
            stages.of_functions({"read": 300})

    def test_a_loss_fails_with_the_name_of_its_stage(self) -> None:
        before = counts(read=1000, cut=1000)
        self.assertEqual(stages.failures(before, counts(read=1020, cut=1)), [])
        (failure,) = stages.failures(before, counts(read=1021, cut=1000))
        self.assertIn("`read` takes 2.1%", failure)

    def test_other_pages_and_stages_cannot_be_compared(self) -> None:
        before = counts(read=1000)
        self.assertEqual(len(stages.failures(before, counts("b", read=1000))), 1)
        self.assertEqual(len(stages.failures(before, counts(read=1000, cut=1))), 1)

    def test_counts_can_be_read_back(self) -> None:
        written = counts(read=1000, cut=7)
        self.assertEqual(stages.from_toml(stages.to_toml(written)), written)


if __name__ == "__main__":
    unittest.main()
