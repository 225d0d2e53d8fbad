import pytest

from referee.intervals import student, unanimous, wilson


@pytest.mark.parametrize(
    ("freedom", "quantile"),  # the usual table of the 97.5 % quantile
    [(4, 2.776), (5, 2.571), (6, 2.447), (8, 2.306), (10, 2.228), (15, 2.131), (30, 2.042), (60, 2.000), (120, 1.980)],
)
def test_student(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=0.001)


def test_wilson_of_a_share_in_the_middle() -> None:
    low, high = wilson(0.3, 50)  # Newcombe's method 3
    assert low == pytest.approx(0.191, abs=5e-4)
    assert high == pytest.approx(0.438, abs=5e-4)


def test_wilson_of_none_and_of_all_is_one_sided_and_symmetric() -> None:
    low, high = wilson(1, 10)
    assert low == pytest.approx(0.7225, abs=1e-4)
    assert high == pytest.approx(1)
    assert list(wilson(0, 10)) == pytest.approx([0, 1 - low])


def test_one_win_makes_two_to_one_on_the_next() -> None:
    assert (unanimous(0), unanimous(1)) == (0.5, 0.75)
