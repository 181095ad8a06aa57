package compilercheck

// hot lists, by package folder, the functions in which training spends its time, and the functions that
// they call for each row, bin, pair or value. Constructors and code that runs once around such loops are
// not included.
var hot = []struct {
	folder    string
	functions []string
}{
	{"internal/exact", []string{"Exp"}},
	{"internal/exact", []string{"Scale.Round", "Scale.Dither", "Scale.Units", "Scale.Float"}},
	{"internal/random", []string{"Key.Uint64", "Key.Float64", "mix"}},
	{"internal/histogram", []string{
		"orderedKey", "(*lookup).bin", "(*FeatureBins).Bin",
		"(*Matrix).At", "(*Matrix).Row", "(*Matrix).Bins",
		"exceeds",
	}},
	{"internal/binsum", []string{
		"Sum.Add", "Sum.Sub", "Sum.Pack", "Unpack",
		"(*Rows).ColumnRange",
		"(*plane[T]).count", "(*plane[T]).CountRight", "(*plane[T]).Weigh", "(*plane[T]).byLast",
		"(*marks).of", "(*marks).count",
		"(*plane[T]).withException", "(*plane[T]).bySides", "goesRight", "isAbove", "isEqual",
		"(*Batch).buildInGo", "(*Batch).takeInGo", "(*Rows).store", "(*Rows).storeBoth", "(*Rows).divide",
		"(*Rows).transposeSquare",
	}},
	{"internal/bincut", []string{"(*Leaf).scan", "(*Leaf).Gain", "(*Limits).fallBoth", "Shrink", "kernel.last",
		"kernel.besideMissing"}},
	{"io/data/internal/rows", []string{"LoadDigits", "CountDigits", "LeadingDigits", "PlainNumber"}},
	{"io/data/internal/table", []string{"(*cells).Features", "transposeEight"}},
	{"internal/pairwise", []string{"(*Documents).Fill", "(*Documents).Derivatives", "total", "(*partners).find",
		"one", "(*own).addBelow", "(*own).addAbove", "(*RankNet).byOdds", "(*Together).Add"}},
	{"internal/walk", []string{
		"descendByLast", "descendBySides", "(*step).right", "(*step).side",
		"(*unpacker).row",
	}},
	{"booster", []string{
		"(*activation).fillAll", "(*activation).fillSparse", "addValues",
	}},
	{"booster/internal/grow", []string{"(*limits).gain", "(*Grower).bestCut", "(*sideCount).add",
		"(*Grower).LeavesOf"}},
	{"nnbaseline", []string{
		"addRelu", "affineRelu", "mask", "(*dropout).apply", "(*dropout).factor",
		"(*pass).addUpUnits",
		"sumOf", "squaresAround",
	}},
}
