"""Feature matrices of any kind, and vectors of labels, queries and weights."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ._categories import Categories, model_name
from ._errors import counted, warn
from ._shared import SparseWindow, Window

_EXACT_IN_SINGLE = frozenset(np.dtype(t) for t in ("bool", "int8", "uint8", "int16", "uint16", "float16", "float32"))
_REAL = "biuf"
WINDOW = 1 << 20  # bytes of a matrix that the binary reads at once: few enough for the cache


def single(dtype: np.dtype) -> bool:
    """Reports whether float32 holds all values of a type."""
    return dtype.newbyteorder("=") in _EXACT_IN_SINGLE


class Table:
    """A feature matrix, dense or sparse."""

    def __init__(self, rows: int, names: list[str] | None, columns: int) -> None:
        self.rows, self.names, self.columns = rows, names, columns
        if columns == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.")
        if rows == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {columns})) while a minimum of 1 is required.")

    def check(self) -> None:
        """Raises a TypeError for columns that are not numbers."""

    def size(self) -> int:
        """Returns the largest number of bytes that `write` needs, without alignment."""
        raise NotImplementedError

    def write(self, arena: "Arena") -> dict[str, Any]:
        """Copies the matrix into an arena and returns its description for the binary."""
        raise NotImplementedError

    def window(self) -> Window | None:
        """Returns a window through which the binary reads the matrix, or None if it must be written as a whole."""
        return None

    def beside(self, arena: "Arena") -> dict[str, Any]:
        """Copies what is not read through the window into an arena, and returns its description."""
        return {}

    def copy(self, target: np.ndarray, rows: Any, columns: slice) -> None:
        """Copies values into a matrix of float64, or of float32 if `single`. rows: a slice, or numbers of rows."""
        raise NotImplementedError

    def copy_rows(self, target: np.ndarray, first: int, end: int) -> None:
        """Copies rows as `copy` does."""
        self.copy(target, slice(first, end), slice(0, self.columns))

    @property
    def single(self) -> bool:
        """Whether float32 holds all values."""
        return False

    def select(self, numbers: Sequence[int]) -> "Table":
        """Returns a table of the given columns, in this order. ABSENT stands for a column of NaN in data frames."""
        raise NotImplementedError

    @property
    def categories(self) -> list[Categories]:
        """The categorical columns in order."""
        return []

    def numbered(self, values: list[list[Any]], called: str) -> "Table":
        """Returns the table with its categories renumbered: each becomes its index in the list for its column. Warns of a
        column that has categories and none in the list. called: names the table."""
        return self


class Dense(Table):
    def __init__(self, x: np.ndarray, names: list[str] | None = None) -> None:
        super().__init__(x.shape[0], names, x.shape[1])
        self.x = x

    def _type(self) -> type:
        return np.float32 if self.single else np.float64

    @property
    def single(self) -> bool:
        return single(self.x.dtype)

    def size(self) -> int:
        return self.x.size * np.dtype(self._type()).itemsize

    def write(self, arena: "Arena") -> dict[str, Any]:
        offset = arena.put(self.x, self._type())
        return {"dense": {"offset": offset, "single": self._type() is np.float32}}

    def window(self) -> Window:
        by_column = bool(self.x.flags.f_contiguous and not self.x.flags.c_contiguous)
        return Window(self.copy, self.rows, self.columns, self._type(), by_column, WINDOW)

    def copy(self, target: np.ndarray, rows: Any, columns: slice) -> None:
        np.copyto(target, self.x[rows, columns], casting="unsafe")

    def copy_rows(self, target: np.ndarray, first: int, end: int) -> None:
        target[:] = self.x[first:end]

    def select(self, numbers: Sequence[int]) -> Table:
        return Dense(self.x[:, list(numbers)])


ABSENT = -1  # stands for a column that does not exist


Cells = Callable[[Any], Any]  # from a slice of rows, or numbers of rows, to their values in a column


def _absent(rows: Any) -> float:
    return np.nan


def _renumbered(codes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Returns the new numbers of categories. The last entry of numbers is that of missing values."""
    result: np.ndarray = numbers[np.where(np.isnan(codes), -1, codes).astype(np.int64)]
    return result


AS_CATEGORIES = 'make texts categories (in pandas .astype("category"), in polars .cast(polars.Categorical), in pyarrow .dictionary_encode())'


class Columns(Table):
    """A data frame: columns of different types, of which some rows are converted at a time.

    column: returns the function that converts rows of a column, given its number.
    """

    def __init__(
        self, rows: int, names: list[str], column: Callable[[int], Cells], order: Sequence[int] | None = None, categorical: dict[int, Categories] | None = None, refused: dict[int, str] | None = None
    ) -> None:
        super().__init__(rows, names, len(names))
        self.refused = refused or {}  # columns that cannot be features, by number: they can only be left out
        self.column = column
        self.categorical = categorical or {}  # by number of the column; values of the column are indexes of categories, or NaN
        self.order = range(len(names)) if order is None else order
        self._cells: list[Cells] | None = None

    @property
    def categories(self) -> list[Categories]:
        found = ((i, self.categorical[number]) for i, number in enumerate(self.order) if number in self.categorical)
        return [Categories(c.column, c.values, c.ordered, i) for i, c in found]

    def numbered(self, values: list[list[Any]], called: str) -> Table:
        numbers = {n: c.numbers_in(v) for (n, c), v in zip(((n, self.categorical[n]) for n in self.order if n in self.categorical), values)}
        new = {n: Categories(self.categorical[n].column, v, self.categorical[n].ordered) for n, v in zip(numbers, values)}

        def column(number: int) -> Cells:
            cells = self.column(number)
            return (lambda rows: _renumbered(cells(rows), numbers[number])) if number in numbers else cells

        for (number, known), given in zip(numbers.items(), values):
            self._warn_of_unknown(number, known, given, called)
        assert self.names is not None
        return Columns(self.rows, self.names, column, self.order, new, self.refused)

    def _warn_of_unknown(self, number: int, known: np.ndarray, values: list[Any], called: str) -> None:
        """Warns if the column has categories, and none that has a new number, in known."""
        if not np.isnan(known[:-1]).any():
            return
        codes = self.column(number)(slice(0, self.rows))
        used = np.unique(codes[~np.isnan(codes)]).astype(np.int64)
        if len(used) and np.isnan(known[used]).all():
            have = self.categorical[number]
            warn(
                f"{called}: none of the categories of the column {have.column} occurred in training, and all its values count as missing: it has "
                f"{listed([repr(have.values[i]) for i in used], 3)}, and training had {listed([repr(v) for v in values], 3)}; give the column the type that it had"
            )

    def check(self) -> None:
        if refused := [self.refused[number] for number in self.order if number in self.refused]:
            types = "".join(column.rpartition("(")[2].lower() for column in refused)
            times = "make times numbers, such as days before the query; " if "date" in types or "time" in types or "duration" in types else ""
            objects = "make numbers of the type object floats (.astype(float)); " if "object" in types else ""
            raise TypeError(f"columns that are not numbers: {listed(refused)}; {times}{objects}features are numbers or categories: {AS_CATEGORIES}, encode them, or leave them out")

    def window(self) -> Window:
        self.cells()
        return Window(self.copy, self.rows, self.columns, np.float64, True, 4 * WINDOW)  # each part of a column costs a call

    def cells(self) -> list[Cells]:
        """Returns the columns, which must be numbers."""
        if self._cells is None:
            self.check()
            self._cells = [_absent if number == ABSENT else self.column(number) for number in self.order]
        return self._cells

    def copy(self, target: np.ndarray, rows: Any, columns: slice) -> None:
        for i, cells in enumerate(self.cells()[columns]):
            target[:, i] = cells(rows)

    def select(self, numbers: Sequence[int]) -> Table:
        assert self.names is not None
        names = ["" if i == ABSENT else self.names[i] for i in numbers]
        return Columns(self.rows, names, self.column, [i if i == ABSENT else self.order[i] for i in numbers], self.categorical, self.refused)


class Sparse(Table):
    def __init__(self, x: Any) -> None:
        if len(x.shape) != 2:
            raise ValueError(f"Expected 2D array, got a sparse array of the shape {x.shape} instead. Reshape your data to rows and columns.")
        super().__init__(x.shape[0], None, x.shape[1])
        csr = x.tocsr()
        _check_type(csr.dtype, "the sparse matrix")
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        self.x = csr

    def size(self) -> int:
        stored: int = self.x.nnz
        return stored * 12 + (self.rows + 1) * 8 + 3 * Arena.ALIGNMENT

    def window(self) -> Window:
        return SparseWindow(self.x, np.float32 if single(self.x.dtype) else np.float64, WINDOW)

    def beside(self, arena: "Arena") -> dict[str, Any]:
        return {"starts": arena.put(self.x.indptr, np.int64)}

    def between(self, first: int, end: int) -> "Sparse":
        """Returns some rows."""
        return Sparse(self.x[first:end])

    def write(self, arena: "Arena") -> dict[str, Any]:
        is_single = single(self.x.dtype)
        data = arena.put(self.x.data, np.float32 if is_single else np.float64)
        columns = arena.put(self.x.indices, np.int32)
        starts = arena.put(self.x.indptr, np.int64)
        return {"sparse": {"n": int(self.x.nnz), "data": data, "single": is_single, "columns": columns, "starts": starts}}

    def copy_rows(self, target: np.ndarray, first: int, end: int) -> None:
        np.copyto(target, self.x[first:end].toarray(), casting="unsafe")

    def select(self, numbers: Sequence[int]) -> Table:
        return Sparse(self.x[:, list(numbers)])


class Arena:
    """Allocates parts of a buffer from its beginning. Every part is aligned to 64 bytes."""

    ALIGNMENT = 64

    def __init__(self, buffer: Any) -> None:
        self.buffer = buffer
        self.used = 0

    def take(self, size: int) -> int:
        offset = self.used
        self.used += -(-size // self.ALIGNMENT) * self.ALIGNMENT
        return offset

    def view(self, offset: int, dtype: Any, count: int) -> np.ndarray:
        return np.frombuffer(self.buffer, dtype=dtype, count=count, offset=offset)

    def put(self, x: np.ndarray, dtype: Any) -> int:
        offset = self.take(x.size * np.dtype(dtype).itemsize)
        if x.size:
            np.copyto(self.view(offset, dtype, x.size).reshape(x.shape), x, casting="unsafe")
        return offset


def table(x: Any) -> Table:
    """Returns the feature matrix of an object of numpy, pandas, polars, pyarrow or scipy.sparse, or of nested lists."""
    if isinstance(x, np.ma.MaskedArray):
        return Dense(_matrix(_filled(x)))
    if isinstance(x, np.ndarray):
        return Dense(_matrix(x))
    library = type(x).__module__.partition(".")[0]
    if library == "pandas" and hasattr(x, "iloc") and hasattr(x, "columns"):
        return _pandas(x)
    if library == "polars" and hasattr(x, "get_columns"):
        levels = _of_polars(x)
        refused = {i: f"{c.name} ({c.dtype})" for i, c in enumerate(x.get_columns()) if i not in levels and not _polars_number(c.dtype)}
        return Columns(x.height, [str(n) for n in x.columns], lambda i: _polars_column(x, i, levels.get(i)), None, levels, refused)
    if library == "polars" and hasattr(x, "collect"):
        return table(x.collect())
    if library == "pyarrow" and hasattr(x, "column_names"):
        x = _arrow_table(x).unify_dictionaries()
        levels = _of_arrow(x)
        refused = {i: f"{f.name} ({f.type})" for i, f in enumerate(x.schema) if i not in levels and not _arrow_number(f.type)}
        return Columns(x.num_rows, [str(n) for n in x.column_names], lambda i: _arrow_column(x, i, levels.get(i)), None, levels, refused)
    if hasattr(x, "tocsr"):
        return Sparse(x)
    if "duckdb" in library:
        raise TypeError(f"X is of the type {type(x).__name__} of duckdb; give a frame: X.df() of pandas, X.pl() of polars or X.to_arrow_table() of pyarrow")
    return Dense(_matrix(np.asarray(x)))


def _filled(x: Any) -> np.ndarray:
    """Returns an array with NaN in place of masked values."""
    result: np.ndarray
    if not np.ma.is_masked(x):
        result = x.data
        return result
    _check_type(x.dtype, "X")
    result = x.astype(x.dtype if x.dtype.kind == "f" else np.float64).filled(np.nan)
    return result


def _matrix(x: np.ndarray) -> np.ndarray:
    if x.ndim == 0 and x.dtype.kind in "OSU":
        raise TypeError(f"X is of the type {type(x.item()).__name__}; it is a matrix, a data frame, a sparse matrix, or the path of a file")
    if x.ndim == 0:
        raise ValueError("Expected 2D array, got scalar array instead. Reshape your data to rows and columns.")
    if x.ndim == 1:
        raise ValueError("Expected 2D array, got 1D array instead. Reshape your data: x.reshape(1, -1) is one row, x.reshape(-1, 1) one column.")
    if x.ndim != 2:
        raise ValueError(f"Found array with dim {x.ndim}, while dim <= 2 is required.")
    if x.dtype.kind in "OUS":
        try:
            return x.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(f"X has the type {x.dtype}, and not all of it are numbers ({error}): argument must be a string or a real number; encode it as numbers, or give a data frame, whose texts can be categories") from error
    _check_type(x.dtype, "X")
    return x


def _check_type(dtype: np.dtype, what: str) -> None:
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has the type {dtype}")
    if dtype.kind not in _REAL:
        raise TypeError(f"{what} has the type {dtype}; features are numbers: encode it as numbers")


def _pandas(x: Any) -> Table:
    names = [str(n) for n in x.columns]
    types = list(x.dtypes)
    levels = {i: Categories(names[i], t.categories.tolist(), bool(t.ordered)) for i, t in enumerate(types) if _is_categorical(t)}
    refused = {i: f"{n} ({t})" for i, (n, t) in enumerate(zip(names, types)) if i not in levels and not _pandas_number(t)}
    alike = not refused and types and all(isinstance(t, np.dtype) and t == types[0] for t in types)
    if alike and (len(x) <= FEW or _is_one_block(x)):
        return Dense(_matrix(x.to_numpy()), names)
    return Columns(len(x), names, lambda i: _pandas_column(x, i), None, levels, refused)


def _is_categorical(dtype: Any) -> bool:
    return type(dtype).__name__ == "CategoricalDtype" and dtype.categories is not None


def _pandas_number(dtype: Any) -> bool:
    if isinstance(dtype, np.dtype):
        return dtype.kind in _REAL
    kind = getattr(dtype, "kind", "O")
    return kind in _REAL and not type(dtype).__name__.startswith(("Categorical", "Period", "Interval", "Datetime"))


FEW = 4096  # rows that cost less to copy than to look at each column


def _is_one_block(x: Any) -> bool:
    """Reports whether the columns of a frame of one type are in one array, which to_numpy returns without a copy."""
    bases = [x.iloc[:, i].to_numpy().base for i in range(x.shape[1])]
    return bases[0] is not None and all(base is bases[0] for base in bases)


def _pandas_column(x: Any, i: int) -> Cells:
    column = x.iloc[:, i]
    if isinstance(column.dtype, np.dtype):
        whole: Cells = column.to_numpy().__getitem__
        return whole
    values = column.array
    if _is_categorical(column.dtype):
        return lambda rows: _of_codes(values.codes[rows])
    return lambda rows: values[rows].to_numpy(dtype=np.float64, na_value=np.nan)


def _of_codes(codes: np.ndarray) -> np.ndarray:
    return np.where(codes < 0, np.nan, codes)


def _of_polars(x: Any) -> dict[int, Categories]:
    import polars

    levels = {}
    for i, (name, dtype) in enumerate(x.schema.items()):
        if dtype == polars.Enum:
            levels[i] = Categories(name, dtype.categories.to_list())
        elif dtype == polars.Categorical:
            levels[i] = Categories(name, x.get_columns()[i].cast(polars.String).unique().drop_nulls().sort().to_list())
    return levels


def _polars_number(dtype: Any) -> bool:
    import polars

    return bool(dtype.is_numeric() or dtype == polars.Boolean)


def _polars_column(x: Any, i: int, levels: Categories | None = None) -> Cells:
    import polars

    column = x.get_columns()[i]
    if levels is not None:
        numbers = range(len(levels.values))
        return lambda rows: column[rows].cast(polars.String).replace_strict(levels.values, numbers, default=None, return_dtype=polars.Float64).to_numpy()
    return lambda rows: column[rows].cast(polars.Float64).to_numpy()


def _arrow_table(x: Any) -> Any:
    """Returns a table of arrow, also for one of its batches."""
    import pyarrow

    return pyarrow.Table.from_batches([x]) if isinstance(x, pyarrow.RecordBatch) else x


def _of_arrow(x: Any) -> dict[int, Categories]:
    import pyarrow

    fields = ((i, x.schema.field(i)) for i in range(x.num_columns))
    return {i: Categories(f.name, x.column(i).chunk(0).dictionary.to_pylist(), f.type.ordered) for i, f in fields if pyarrow.types.is_dictionary(f.type) and x.num_rows}


def _arrow_number(kind: Any) -> bool:
    from pyarrow import types

    return any(f(kind) for f in (types.is_boolean, types.is_integer, types.is_floating, types.is_decimal))


def _arrow_column(x: Any, i: int, levels: Categories | None = None) -> Cells:
    import pyarrow

    column, kind = x.column(i), x.schema.field(i).type
    if levels is not None:
        column = pyarrow.chunked_array([chunk.indices for chunk in column.chunks])
    elif pyarrow.types.is_boolean(kind):
        return lambda rows: _arrow_numbers(_arrow_rows(column, rows).cast(pyarrow.int8()))
    return lambda rows: _arrow_numbers(_arrow_rows(column, rows))


def _arrow_rows(column: Any, rows: Any) -> Any:
    return column.slice(rows.start, rows.stop - rows.start) if isinstance(rows, slice) else column.take(rows)


def _arrow_numbers(column: Any) -> np.ndarray:
    import pyarrow

    return np.asarray(column.cast(pyarrow.float64(), safe=False).to_numpy(), dtype=np.float64)


def by_name(names: Sequence[str]) -> dict[str, int]:
    """Returns the index of each name, and of the form that it has in models."""
    place: dict[str, int] = {}
    for i, name in enumerate(names):
        held = model_name(name)
        if held != name and held in place and names[place[held]] != held:
            raise ValueError(f"the columns {names[place[held]]!r} and {name!r} are one name, {held}, for a model; rename one")
        place.setdefault(held, i)
    place.update((name, i) for i, name in enumerate(names))
    return place


def listed(items: list[str], most: int = 10) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


QUERY_COLUMNS = ("qid", "query_id", "query", "srch_id")  # as the binary has them, in any case


def query_column(x: Any, known: Collection[str] = ()) -> Any:
    """Returns the name of the column of query ids of a frame, or None if it has none. known: names of features, which are not considered."""
    library = type(x).__module__.partition(".")[0]
    if library == "polars" and hasattr(x, "collect_schema"):
        columns = x.collect_schema().names()
    else:
        columns = getattr(x, "column_names" if library == "pyarrow" else "columns", None)
    names = [c for c in (columns if np.iterable(columns) else ()) if isinstance(c, str) and c.lower() in QUERY_COLUMNS and c not in known]
    if len(names) > 1:
        raise ValueError(f"the frame has the columns {' and '.join(names)}, of which one has the queries: leave the others out, or pass qid and leave all of them out")
    return names[0] if names else None


def split_query_column(x: Any, known: Collection[str] = ()) -> tuple[Any, Any]:
    """Removes the column of query ids from a frame. Returns the frame and the column, or None if there is none."""
    if hasattr(x, "collect"):  # polars' lazy frames
        x = x.collect()
    name = query_column(x, known)
    if name is None:
        return x, None
    library = type(x).__module__.partition(".")[0]
    if library == "pandas":
        return x.drop(columns=name), x[name]
    if library == "polars":
        return x.drop(name), x[name]
    return x.drop_columns([name]), x.column(name)


def _as_array(values: Any) -> np.ndarray:
    if type(values).__module__.partition(".")[0] == "pyarrow":
        values = values.to_numpy(zero_copy_only=False) if hasattr(values, "type") and not hasattr(values, "chunks") else values.to_numpy()
    return np.asarray(values)


def check_masks(values: Any, what: str) -> None:
    if np.ma.is_masked(values):
        raise ValueError(f"{what} has masked entries; give all a value")


def vector(values: Any, what: str, rows: int | None = None, of: str = "X") -> np.ndarray:
    """Returns a float64 for each row. of: names the data that has this number of rows."""
    check_masks(values, what)
    x = _as_array(values)
    if x.ndim == 2 and x.shape[1] == 1:
        x = x[:, 0]
    if x.ndim != 1:
        raise ValueError(f"{what} has the shape {x.shape}; it has one number for each row")
    if x.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has the type {x.dtype}")
    if x.dtype.kind in "mMV":
        raise TypeError(f"{what} has the type {x.dtype}; it has one number for each row")
    try:
        numbers = np.ascontiguousarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what} has the type {x.dtype}, and not all of it are numbers: {error}") from error
    if rows is not None and len(numbers) != rows:
        raise ValueError(f"{of} has {counted(rows, 'row')}, and {what} has {len(numbers)}: Found input variables with inconsistent numbers of samples: [{rows}, {len(numbers)}]")
    return numbers


def check_order(x: Any, called: str, beside: Mapping[str, Any]) -> None:
    """Warns of what is beside a pandas object and has its index in another order: rows are taken by position, as in LightGBM."""
    for name, values in beside.items():
        if not (hasattr(x, "iloc") and hasattr(values, "iloc")) or len(values) != len(x) or values.index.equals(x.index):
            continue
        if values.index.nlevels != x.index.nlevels:  # isin refuses these
            continue
        if values.index.isin(x.index).all() and x.index.isin(values.index).all():
            warn(f"{name} has the index of {called} in another order, and rows are taken by position: give {name}.loc[{called}.index], or {name}.to_numpy() if the order is right")


def compact(numbers: np.ndarray, given: Any) -> np.ndarray:
    """Returns a vector of float64 in a byte each if that holds all of them, or the given array if it holds them already."""
    if numbers is given:
        return numbers
    if type(given) is np.ndarray and given.ndim == 1 and given.dtype.kind in "iu":
        return given
    with np.errstate(invalid="ignore"):
        small = numbers.astype(np.int8)
    return small if np.array_equal(small, numbers) else numbers


def places(values: Any, rows: int) -> tuple[np.ndarray, list[str]]:
    """Returns the index of each row's position, and the names of the positions in the order in which they first appear."""
    check_masks(values, "position")
    x = _as_array(values)
    if x.ndim != 1 or len(x) != rows:
        raise ValueError(f"position has the shape {x.shape}; it has one entry for each of the {counted(rows, 'row')}")
    check_missing(x, "position")
    _check_exact(x, "position")
    if x.dtype.kind == "f":
        if not np.array_equal(x, np.floor(x)):
            raise ValueError("position: numbers of places are whole")
        x = x.astype(np.int64)
    names, first, number = np.unique(x.astype(str), return_index=True, return_inverse=True)
    bad = next((n for n in names if not n or any(c.isspace() for c in n)), None)
    if bad is not None:
        raise ValueError(f"position {str(bad)!r}: a position is one word without blanks")
    order = np.argsort(first)
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return np.ascontiguousarray(place[number.reshape(-1)]), [str(n) for n in names[order]]


def group_sizes(group: Any, rows: int, what: str = "group") -> np.ndarray:
    """Checks the numbers of rows of the queries."""
    check_masks(group, what)
    g = np.asarray(group)
    if g.ndim != 1 or g.dtype.kind not in "iuf" or (g.dtype.kind == "f" and not (np.isfinite(g) & (g == np.floor(g))).all()):
        raise ValueError(f"{what} is the number of rows of each query, as whole numbers in one dimension; query ids of rows are qid")
    if g.dtype.kind != "i" and len(g) and g.max() > 2**62:
        raise ValueError(f"{what}: query {int(np.argmax(g))} has {counted(int(g.max()), 'row')}, and X has {rows}")
    g = g.astype(np.int64)
    if len(g) and g.min() < 0:
        raise ValueError(f"{what} has a negative number of rows: {g.min()}, query {int(np.argmin(g))}")
    if len(g) and g.max() > rows:
        raise ValueError(f"{what}: query {int(np.argmax(g))} has {counted(int(g.max()), 'row')}, and X has {rows}")
    if int(g.sum()) != rows:
        raise ValueError(f"{what}: the numbers of rows in the queries add up to {int(g.sum())}, and X has {counted(rows, 'row')}")
    return g[g > 0]


def query_of_rows(qid: Any, rows: int, what: str = "qid") -> np.ndarray:
    """Returns the query id of each row as an array with one dimension."""
    check_masks(qid, what)
    if type(qid).__module__.partition(".")[0] == "pyarrow":
        qid = qid.to_pylist()
    q = np.asarray(qid)
    if q.ndim == 2 and q.shape[1] == 1:
        q = q[:, 0]
    if q.ndim != 1:
        raise ValueError(f"{what} has the shape {q.shape}; it has the query id of each row")
    if len(q) != rows:
        raise ValueError(f"X has {counted(rows, 'row')}, and {what} has {len(q)}")
    return q


def sizes_of_qid(qid: Any, rows: int, what: str = "qid") -> np.ndarray:
    """Returns the number of rows of each query. The rows of a query must be consecutive."""
    q = query_of_rows(qid, rows, what)
    check_missing(q, what)
    _check_exact(q, what)
    starts = np.concatenate(([0], np.flatnonzero(q[1:] != q[:-1]) + 1)).astype(np.int64)
    _check_consecutive(q[starts], starts, what)
    return np.diff(np.append(starts, rows))


def check_missing(q: np.ndarray, what: str) -> None:
    if (gone := missing(q)).any():
        raise ValueError(f"{what} is missing in row {int(np.argmax(gone))}; give all rows one")


def missing(q: np.ndarray) -> np.ndarray:
    """Reports which values are None, NaN, NaT or pandas.NA."""
    if q.dtype.kind == "f":
        return np.isnan(q)
    if q.dtype.kind in "mM":
        return np.isnat(q)
    if q.dtype.kind == "O":
        return np.array([v is None or type(v).__name__ == "NAType" or v != v for v in q.flat], dtype=bool).reshape(q.shape)
    return np.zeros(q.shape, dtype=bool)


def _check_exact(q: np.ndarray, what: str) -> None:
    """Refuses ids that are so large for their floating-point type that different ids may have become one."""
    if q.dtype.kind == "O":
        large = np.array([isinstance(v, float) and abs(v) >= 2**53 for v in q], dtype=bool)
    elif q.dtype.kind == "f":
        large = np.abs(q) >= 2.0 ** (np.finfo(q.dtype).nmant + 1)
    else:
        return
    if large.any():
        row = int(np.argmax(large))
        kind = "float64" if q.dtype.kind == "O" else q.dtype
        raise ValueError(f"{what} {q[row]} in row {row} is too large for {kind}, in which different ids may be one number: give ids as integers or texts")


def weights(values: Any, group: np.ndarray, what: str, of: str = "X") -> np.ndarray:
    """Returns the weight of each row, from the weights of rows or of queries."""
    x = vector(values, what)
    rows = int(group.sum())
    if len(x) == len(group) != rows:
        return np.repeat(x, group)
    if len(x) != rows:
        raise ValueError(
            f"{of} has {counted(rows, 'row')} in {counted(len(group), 'query')}, and {what} has {counted(len(x), 'entry')}; it has one for each row or for each query: "
            f"Found input variables with inconsistent numbers of samples: [{rows}, {len(x)}]"
        )
    return x


def _check_consecutive(ids: np.ndarray, starts: np.ndarray, what: str) -> None:
    seen: dict[Any, int] = {}
    for i, name in enumerate(ids.tolist()):
        if name in seen:
            raise ValueError(
                f"the rows of a query are not consecutive: row {int(starts[i])} belongs to query {name!r}, whose rows ended with row "
                f"{int(starts[seen[name] + 1]) - 1}; sort all by {what}, as with order = numpy.argsort({what}, kind='stable')"
            )
        seen[name] = i
