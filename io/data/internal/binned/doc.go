// Package binned stores binned ranking data in a file, and maps it back.
//
// Binned data is read without parsing: the file's pages are the matrix of bins that training works
// on. It has no feature values and no document ids, and so it is for training, and for validation
// while training.
//
// # Format, version 8
//
// All numbers are little-endian. An integer has 8 bytes unless stated otherwise; a float64 is its IEEE 754
// bits. The file is a preface of 256 bytes, and then fourteen sections (before version 5 thirteen, before
// version 4 ten) in the order below, each at the next multiple of 64 bytes, with zeros before it. It ends
// where the last section ends.
//
// The preface:
//
//	offset  bytes
//	     0      8  magic: 8b 4c 4d 42 0d 0a 1a 0a ("\x8bLMB\r\n\x1a\n"; its line
//	               ends show whether the file was transferred as text)
//	     8      4  0x0a0b0c0d, which shows another byte order
//	    12      4  version: 8; earlier ones from 2 on are read as well
//	    16      8  length of the file in bytes
//	    24    224  for each section: length in bytes (8), checksum (4), zeros (4)
//	   248      4  zeros
//	   252      4  CRC-32C of the 252 bytes before
//
// The checksum of a section is the CRC-32C of the CRC-32Cs of its blocks of 1,048,576 bytes (the
// last one may be shorter), 4 bytes each, so that blocks are verified in parallel.
//
// The sections, for n rows, k features and q queries:
//
//	parameters       max_bin, min_data_in_bin, bin_construct_sample_cnt, seed,
//	                 feature_base, or 2 for text that has feature 0; number of queries
//	                 without rows that the text had; what may be missing: 0 nothing,
//	                 1 zero and NaN, 2 NaN; number
//	                 of the column of the label in a table. With query context also the
//	                 number of raw features, and for each column of query context
//	                 its kind (0 rank, 1 zscore, 2 linear, 3 max_ratio,
//	                 4 gap_to_best, 5 count) and the number of its feature
//	features         k times: number of upper bounds, what is missing (0, 1 or 2; plus 4
//	                 if the feature is categorical, whose categories are in the place
//	                 of upper bounds; plus 8 if it is sparse),
//	                 smallest and largest sampled value (float64), number of rows
//	                 in which the feature was NaN
//	upper bounds     float64s, those of feature 0 first; ascending for each
//	                 feature, the last one +Inf; or the categories of bins 1, 2, …
//	feature names    k texts
//	labels           n float64s
//	weights          n float64s; empty if all rows weigh 1
//	initial scores   n float64s; empty if training begins at 0
//	query lengths    q numbers of rows, at least 1 each, n in all
//	query ids        q texts
//	bins             n rows, each of a multiple of 8 bytes: for each feature that
//	                 can split the number of its bin, in a byte, some bits of one, or two bytes.
//	                 With sparse features, also n+1 integers and numbers of 4 bytes, see below
//	further labels   their number, n float64s for each of them, and the names
//	                 of all labels as texts, of which the first may be empty; or empty.
//	                 Before version 8: n float64s of a label without a name, or empty
//	positions        number of different positions, and n times the number
//	                 of the row's; or empty
//	position names   a text for each position
//	dictionaries     number of categorical features that stand for texts;
//	                 feature and number of texts of each; all texts. Or empty
//
// Texts are the offsets of their ends (8 bytes each), and then their bytes one after the other.
// Offsets count from the first of these bytes.
//
// The layout of a row follows from the features that can split. Each has a byte, in the order of the
// features, unless rows become shorter, by whole groups of 8 bytes, when features share bytes. Then a feature
// with b bins has as many bits as b-1, at least 1. Features are placed in descending order of their bits,
// equal ones in the order of their numbers: each gets the lowest free bits of the first byte that has room.
// Features with more than 256 bins are not among those: each has two bytes, the lower one
// first, in the order of their numbers, from the first whole group of 8 bytes after all others. Other bits
// are 0.
//
// A feature has a bin for each upper bound, and one more, the last, if NaN is missing: 1 to 65,535 in all. It
// can split if its smallest and largest sampled values lie in different bins, or if NaN is missing. Sparse
// features have no bytes in a row. All features that can split together have bins that are numbered on from
// feature to feature, sparse or not: the numbers of 4 bytes are those of a row's bins of sparse features that
// are not the bin of 0, ascending, row after row. The integers before them are the index among them at which
// each row begins, 0 first, and the end of the last one. A sparse feature has at most 256 bins. A categorical
// feature has bin 0 and a bin for each category; it can split if it has two categories, or one and NaN is
// missing. See package histogram for what a bin is. Version 1 had no missing values, and is refused.
//
// # Trust
//
// [Open] verifies all checksums, and then that the content is consistent: a file that opens is
// valid, and a changed byte anywhere is an error. The bins are read once for that, at the speed of
// the disk or, if they are cached, of memory. Each of several processes that share a file verifies all of it.
//
// An open file is mapped into memory on Unix, and read into memory on other systems. A mapped file
// must not be truncated or written in place: [Guard] returns an error if it is. To replace it by a new
// file does no harm.
package binned
