# SPDX-License-Identifier: Apache-2.0
"""Parts of text files: where they are, what is in them, and files that change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tables_oracle.table_files import Table, dtypes, rows, table
from windrow.tables.files import Files
from windrow.tables.reader import TableError
from windrow.tables.stretch import parse


def test_a_name_says_what_to_read() -> None:
    stretch = parse("/data/a@b#1.csv@10+20#30*40/5+6")
    assert (stretch.path, stretch.offset, stretch.length) == ("/data/a@b#1.csv", 10, 20)
    assert (stretch.row, stretch.rows, stretch.window) == (30, 40, (5, 6))
    assert parse("a@0+0#0*0").window is None


@pytest.mark.parametrize("name", ["", "a.csv", "a@1+2", "a@1+2#3", "a@1+2#3*x", "a@1+2#3*4/5"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(TableError, match="is not the name of a stretch"):
        parse(name)


def test_a_file_that_became_shorter_is_told(tmp_path: Path) -> None:
    made = table(tmp_path, "a,b\n5,x\n")
    path = made.description["files"][0]
    with pytest.raises(TableError, match=r"data\.csv: the file is shorter than it was"):
        made.reader().frame([f"{path}@0+100#0*0"])
    with pytest.raises(TableError, match="1 records where there were 7 when the job began"):
        made.reader().frame([f"{path}@0+8#0*7"])
    Path(path).unlink()
    with pytest.raises(FileNotFoundError):
        made.reader().frame([f"{path}@0+8#0*0"])


def test_a_file_that_was_rewritten_is_told(tmp_path: Path) -> None:
    """Whatever its new text would make of the place of the old one."""
    made = table(tmp_path, "a,b\n5,x\n6,y\n")
    path = Path(made.description["files"][0])
    for again in ("a,b\n7,x\n8,y\n", "a,b\n7,x,z\n", "a,b\n7,x\n8,long\n"):
        reader = made.reader()
        assert rows(reader.frame([f"{path}@8+4#0*0"])) == [[6, "y"]]
        other = path.with_name("other")
        other.write_text(again)
        os.utime(other, ns=(1, 1))
        other.replace(path)
        with pytest.raises(TableError, match=r"data\.csv: the file has changed; input must not"):
            reader.frame([f"{path}@4+4#0*0"])
        path.write_text("a,b\n5,x\n6,y\n")


def test_a_file_that_was_rewritten_before_its_first_rows_were_read_is_told(tmp_path: Path) -> None:
    made = table(tmp_path, "a,b\n5,x\n6,y\n")
    reader = made.reader()
    reader.check()
    path = Path(made.description["files"][0])
    path.write_text("a,b\n7,x\n8,y\n")
    os.utime(path, ns=(1, 1))
    with pytest.raises(TableError, match=r"data\.csv: the file has changed; input must not"):
        reader.frame([f"{path}@8+4#0*0"])


def test_a_file_that_has_changed_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "data.arrow"
    path.write_text("old")
    files, reads = Files(may_grow=False), []
    files.reading(str(path), lambda: reads.append(1))
    path.write_text("new text")
    with pytest.raises(TableError, match=r"data\.arrow: the file has changed; input must not"):
        files.reading(str(path), lambda: reads.append(2))
    assert reads == [1]


def test_a_file_may_grow(tmp_path: Path) -> None:
    made = table(tmp_path, "a,b\n5,x\n6,y\n")
    path = Path(made.description["files"][0])
    reader = made.reader()
    assert rows(reader.frame([f"{path}@0+8#0*0"])) == [[5, "x"]]
    with path.open("a") as file:
        file.write("7,z\n")
    assert rows(reader.frame([f"{path}@8+4#0*0"])) == [[6, "y"]]


def test_a_stretch_that_ends_within_a_line_is_told(tmp_path: Path) -> None:
    made = table(tmp_path, "a,b\n5,x\n6,yyy\n")
    path = made.description["files"][0]
    with pytest.raises(TableError, match=r"data\.csv: the file has changed; input must not"):
        made.reader().frame([f"{path}@8+4#0*0"])


def test_stretches_give_the_rows_of_the_file_in_order(tmp_path: Path) -> None:
    lines = ["n,s\n", *[f"{i},t{i}\n" for i in range(1000)]]
    made = table(tmp_path, "".join(lines))
    path = made.description["files"][0]
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line))
    reader = made.reader()
    cuts = [0, 2, 301, 302, 999, 1001]
    names, found = [], []
    for first, last in zip(cuts, cuts[1:]):
        row = max(0, first - 1)
        names.append(f"{path}@{ends[first]}+{ends[last] - ends[first]}#{row}*{last - 1 - row}")
        frame = reader.frame(names[-1:])
        assert dtypes(frame) == {"n": "int64", "s": "text"}
        found += rows(frame)
    assert found == [[i, f"t{i}"] for i in range(1000)]
    together = reader.frame(names)
    assert rows(together) == found
    assert list(together.index) == list(range(1000))


def test_a_window_leaves_some_rows_of_a_stretch(tmp_path: Path) -> None:
    made = table(tmp_path, "n\n" + "".join(f"{i}\n" for i in range(5, 25)))
    made.description["transformations"] = [{"filter": "n % 2 == 0"}]
    frame = made.reader().frame([made.names()[0] + "/2+3"])
    assert rows(frame) == [[10], [12], [14]]
    assert list(frame.index) == [0, 1, 2]


def test_a_window_begins_at_a_row_of_its_own(tmp_path: Path) -> None:
    made = table(tmp_path, "n\n5\n6\n7\n")
    name = f"{made.description['files'][0]}@0+8#17*3"
    assert made.reader().first_row([name + "/2+1", name]) == 19
    for more in (
        {"transformations": [{"filter": "n > 5"}]},
        {"transformations": [{"take": 19}]},
        {"transformations": [{"skip": 18}]},
        {"transformations": [{"take_random_sample": {"probability": 0.5, "seed": 1}}]},
        {"ragged": "skip"},
        {"invalid_lines": "drop"},
    ):
        reader = Table(tmp_path, **{**made.description, **more}).reader()
        assert reader.first_row([name + "/2+1"]) is None
        assert reader.first_row([name]) is None
    steps = [{"convert_column_types": [{"columns": "n", "column_type": "float"}]}]
    made.description["transformations"] = steps
    assert made.reader().first_row([name + "/2+1"]) == 19


def test_rows_are_counted_where_their_number_is_not_known(tmp_path: Path) -> None:
    made = Table(tmp_path, support_multi_line=True, transformations=[{"skip": 3}])
    first = made.add("1.csv", 'a,b\n1,"x\n\ny"\n\n2,z\n')
    second = made.add("2.csv", "a,b\n3,z\n4,z\n5,z\n")
    reader = made.reader()
    assert rows(reader.frame([f"{first}@0+0#0*0"])) == []
    assert rows(reader.frame([f"{second}@0+0#0*0"])) == [[4, "z"], [5, "z"]]
    assert rows(reader.frame([f"{second}@12+4#0*0"])) == [[5, "z"]]
    assert rows(reader.frame([f"{second}@4+4#2*1"])) == []
    assert rows(reader.frame([f"{second}@4+4#17*1"])) == [[3, "z"]]
    assert reader.first_row([f"{second}@8+4#0*0"]) is None
    assert reader.counted_row([f"{second}@8+4#0*0/1+2"]) == 4  # C893
    assert reader.counted_row([f"{second}@4+4#0*0"]) == 2
    assert reader.counted_row([f"{second}@8+4#17*1"]) == 17
    assert Table(tmp_path).reader().first_row([f"{second}@8+4#17*1"]) == 17
    (tmp_path / "elsewhere.csv").write_text("a,b\n6,z\n")
    with pytest.raises(TableError, match=r"not among the first 2 files .* number of its first row"):
        reader.frame([f"{tmp_path}/elsewhere.csv@0+0#0*0"])
    made.description["rows_of_lists"] = True
    with pytest.raises(TableError, match="a list of rows of another job"):
        made.reader().counted_row([f"{second}@4+4#0*0"])


def test_many_rows_are_counted_piece_by_piece(tmp_path: Path, monkeypatch: object) -> None:
    from windrow.tables import source

    monkeypatch.setattr(source, "_PIECE", 64)  # type: ignore[attr-defined]
    made = table(tmp_path, "a,b\n" + "".join(f'{i},"line\nbreak"\n' for i in range(100)))
    made.add("2.csv", "a,b\n500,x\n501,x\n")
    made.description.update(support_multi_line=True, transformations=[{"skip": 101}])
    assert rows(made.reader().frame(made.names()[1:])) == [[501, "x"]]
    made = table(tmp_path, "a,b\n" + "".join(f"{i},x\n" for i in range(200)))
    made.add("2.csv", "a,b\n500,x\n501,x\n")
    made.description["transformations"] = [{"skip": 201}]
    assert rows(made.reader().frame(made.names()[1:])) == [[501, "x"]]
