# SPDX-License-Identifier: Apache-2.0
"""A table that is read when its frame is asked for."""

import random

from windrow.tables.reader import TableReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pandas import DataFrame

_THERE = (
    "to_pandas_dataframe, show, take, skip, filter, keep_columns, drop_columns,"
    " convert_column_types, take_random_sample, extract_columns_from_partition_format, validate"
)


class MLTable:
    """Each transformation gives a new table; none is carried out before a frame is asked for."""

    def __init__(self, description: "dict[str, Any]", stretches: "list[str]") -> None:
        self._description, self._stretches = description, stretches

    def to_pandas_dataframe(self) -> "DataFrame":
        """All rows. Raises windrow.tables.errors.TableError, and OSError when a file is gone."""
        if not self._stretches:
            import pandas

            return pandas.DataFrame()
        reader = TableReader({**self._description, "whole": True})
        reader.check()
        return reader.frame(self._stretches)

    def show(self, count: int = 20) -> "DataFrame":
        """The first rows."""
        return self.take(count).to_pandas_dataframe()

    def validate(self) -> None:
        """Raises RuntimeError when not even one row can be read."""
        try:
            count = len(self.show(1))
        except Exception as error:
            raise RuntimeError(f"the table cannot be read: {error}") from error
        if count == 0:
            raise RuntimeError("the table has no rows")

    @property
    def paths(self) -> "list[dict[str, str]]":
        """The files, one after another."""
        return [{"file": name.rpartition("@")[0]} for name in self._stretches]

    def take(self, count: int = 20) -> "MLTable":
        return self._with("take", _positive("take", count))

    def skip(self, count: int) -> "MLTable":
        return self._with("skip", _positive("skip", count))

    def filter(self, expression: str) -> "MLTable":
        return self._with("filter", expression)

    def keep_columns(self, columns: "Any") -> "MLTable":
        return self._with("keep_columns", _names(columns))

    def drop_columns(self, columns: "Any") -> "MLTable":
        return self._with("drop_columns", _names(columns))

    def take_random_sample(self, probability: float, seed: "int | None" = None) -> "MLTable":
        if not 0 < probability < 1:
            raise ValueError(f"take_random_sample: {probability!r} does not lie between 0 and 1")
        seed = random.randrange(1 << 31) if seed is None else seed
        return self._with("take_random_sample", {"probability": probability, "seed": seed})

    def convert_column_types(self, column_types: "dict[Any, DataType]") -> "MLTable":
        steps = [
            {"columns": _names(columns), "column_type": type_.description}
            for columns, type_ in column_types.items()
        ]
        return self._with("convert_column_types", steps)

    def extract_columns_from_partition_format(self, partition_format: str) -> "MLTable":
        step = {"partition_format": partition_format}
        return self._with("extract_columns_from_partition_format", step)

    def random_split(self, percent: float = 0.5, seed: "int | None" = None) -> "Any":
        raise missing("MLTable.random_split")

    def save(self, *arguments: "Any", **named: "Any") -> "Any":
        raise missing("MLTable.save")

    def get_partition_count(self) -> int:
        raise missing("MLTable.get_partition_count")

    def select_partitions(self, partition_index_list: "Any") -> "MLTable":
        raise missing("MLTable.select_partitions")

    @property
    def partition_keys(self) -> "list[str]":
        raise missing("MLTable.partition_keys")

    def _with(self, step: str, value: "Any") -> "MLTable":
        steps = [*self._description.get("transformations", []), {step: value}]
        changed = MLTable({**self._description, "transformations": steps}, self._stretches)
        TableReader(changed._description)  # raises what is wrong with the step
        return changed

    def __repr__(self) -> str:
        return f"MLTable({len(self._stretches)} files)"


class DataType:
    """What a column is to be converted to. `description`: as in an MLTable file."""

    def __init__(self, description: "Any") -> None:
        self.description = description

    @staticmethod
    def to_int() -> "DataType":
        return DataType("int")

    @staticmethod
    def to_float() -> "DataType":
        return DataType("float")

    @staticmethod
    def to_string() -> "DataType":
        return DataType("string")

    @staticmethod
    def to_bool(
        true_values: "Any" = None, false_values: "Any" = None, mismatch_as: "Any" = None
    ) -> "DataType":
        said = {
            "true_values": true_values,
            "false_values": false_values,
            "mismatch_as": mismatch_as,
        }
        given = {key: value for key, value in said.items() if value is not None}
        return DataType({"boolean": given} if given else "boolean")

    @staticmethod
    def to_datetime(formats: "Any", date_constant: "str | None" = None) -> "DataType":
        if date_constant is not None:
            raise missing("DataType.to_datetime with date_constant")
        return DataType({"datetime": {"formats": formats}})

    @staticmethod
    def to_stream() -> "DataType":
        raise missing("DataType.to_stream")


def missing(name: str) -> NotImplementedError:
    """For what the public package has, and this one has not."""
    return NotImplementedError(
        f"{name} is not in the part of mltable that Windrow has: load, from_paths,"
        " from_delimited_files, from_parquet_files, from_json_lines_files, and of a table"
        f" {_THERE}; install mltable for the rest"
    )


def _positive(step: str, count: int) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"{step}: {count!r} is not a number of rows; write a whole one from 1 on")
    return count


def _names(columns: "Any") -> "Any":
    return columns if isinstance(columns, (str, dict)) else list(columns)
