# SPDX-License-Identifier: Apache-2.0
"""Tables of a few rows with transformations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tables_oracle.table_files import Table, table
from windrow.tables.reader import TableError, TableReader

TEXT = "i,f,s,b,d,m\n5,1.5,x,true,2020-01-02,7\n6,2.0,3.0,false,2020-01-03,\n-7,-2.7,,true,,8\n"


def steps(folder: Path, *transformations: Any, text: str = TEXT, **description: Any) -> Table:
    options = {"types": "mltable", **description}
    return table(folder, text, transformations=list(transformations), **options)


def refused(*transformations: Any) -> str:
    with pytest.raises(TableError) as raised:
        TableReader({"format": "delimited", "files": [], "transformations": transformations})
    return str(raised.value)
