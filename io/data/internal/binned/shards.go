package binned

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/peers"
)

// Shards are data that several peers have stored together: a folder with an ordinary binned file of each peer
// and a list of the files. The list is written last, and so shows that the files are complete.
type Shards struct {
	Shards []Shard

	// Whether rows have these values, which a file without rows does not show.
	Weights, InitialScores, SecondLabels, Positions bool

	folder string
}

// Shard is one of the files.
type Shard struct {
	File     string
	Rows     int
	Queries  int
	Checksum uint32 // of the first bytes of the file, which have the checksums of all others
}

// shardList is the name of the list in the folder, a JSON object.
const shardList = "shards.json"

// Errors about shards, besides those of files.
var (
	// ErrShards means that the list of shards is not valid.
	ErrShards = errors.New("the list of shards is damaged; make the folder again with lambdamart bin")
	// ErrOtherShard means that a file of the folder is not the one in the list.
	ErrOtherShard = errors.New("the file is not the one that " + shardList +
		" lists; make the folder again with lambdamart bin")
	// ErrOccupied means that the folder for shards holds something else.
	ErrOccupied = errors.New("the folder has other files than shards; name a new one")
	// ErrPlaces means that peers have numbered the positions of documents differently.
	ErrPlaces = errors.New("the positions of documents have other numbers on another peer")
	// ErrUnseen means that rank 0 does not see the file of another peer.
	ErrUnseen = errors.New("peer 0 does not see the file that another peer has written; name a folder that " +
		"all machines mount")
)

// IsShards reports whether path is a folder of shards.
func IsShards(path string) bool {
	_, err := os.Stat(filepath.Join(path, shardList))
	return path != "-" && err == nil
}

// ReadShards reads the list of a folder.
func ReadShards(folder string) (*Shards, error) {
	text, err := os.ReadFile(filepath.Join(folder, shardList))
	if err != nil {
		return nil, err
	}
	s, detail := decodeShards(text)
	if detail != "" {
		return nil, &Error{Path: filepath.Join(folder, shardList), Detail: detail, Err: ErrShards}
	}
	s.folder = folder
	return s, nil
}

// decodeShards returns the shards that the text of a list describes, or what is wrong with the text.
func decodeShards(text []byte) (s *Shards, wrong string) {
	s = &Shards{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err.Error()
	}
	rows := 0
	for _, file := range s.Shards {
		inFolder := file.File == filepath.Base(file.File) && file.File != "" && file.File != "." &&
			file.File != ".."
		if file.Rows < 0 || file.Rows > mostRows-rows || file.Queries < 0 || file.Queries > file.Rows || !inFolder {
			return nil, fmt.Sprintf("%+v", file)
		}
		rows += file.Rows
	}
	if rows == 0 {
		return nil, "no rows"
	}
	return s, ""
}

// mostRows bounds the number of rows, so that the number of bytes of all rows does not overflow.
const mostRows = 1 << 40

// Words returns numbers that identify the shards.
func (s *Shards) Words() []int64 {
	h := fnv.New64a()
	_ = json.NewEncoder(h).Encode(s)
	return []int64{int64(h.Sum64())}
}

// cut is the beginning of a query: the numbers of queries and of rows before it.
type cut struct{ query, row int }

// before returns where file n begins.
func (s *Shards) before(n int) (c cut) {
	for _, file := range s.Shards[:n] {
		c.query, c.row = c.query+file.Queries, c.row+file.Rows
	}
	return c
}

// size returns the bytes of all files.
func (s *Shards) size() (bytes int) {
	for _, file := range s.Shards {
		if info, err := os.Stat(filepath.Join(s.folder, file.File)); err == nil {
			bytes += int(info.Size())
		}
	}
	return bytes
}

// OpenFirst opens the file at path, or the first one of a folder of shards.
func OpenFirst(path string, opts Options) (*File, error) {
	if !IsShards(path) {
		return Open(path, opts)
	}
	s, err := ReadShards(path)
	if err != nil {
		return nil, err
	}
	return s.open(0, opts)
}

// open opens a file.
func (s *Shards) open(n int, opts Options) (*File, error) {
	listed, path := s.Shards[n], filepath.Join(s.folder, s.Shards[n].File)
	f, err := Open(path, opts)
	if err != nil {
		return nil, err
	}
	if f.Meta.NumRows() != listed.Rows || len(f.Meta.Queries) != listed.Queries ||
		f.checksum() != listed.Checksum {
		f.Close()
		return nil, &Error{Path: path, Err: ErrOtherShard}
	}
	return f, nil
}

// checksum returns the checksum of the first bytes.
func (f *File) checksum() uint32 { return binary.LittleEndian.Uint32(f.data[checksumAt:]) }

// Open returns this peer's part of the data, in memory: whole queries, or all of the data if the peer is
// alone. It opens only the files that have rows of the part or none, one after the other. It is a collective.
func (s *Shards) Open(opts Options, g peers.Group) (*Set, error) {
	first, err := s.cut(g.Rank(), g.Size())
	if err != nil {
		return nil, err
	}
	end := s.next(first, g)
	b := building{shards: s, opts: opts, rows: max(0, end.row-first.row)}
	for n, file := range s.Shards {
		begin := s.before(n).query
		from := min(max(first.query-begin, 0), file.Queries)
		to := min(max(end.query-begin, from), file.Queries)
		// a peer without rows takes what it must know from the last file
		if from < to || file.Queries == 0 || b.set == nil && n == len(s.Shards)-1 {
			if err := b.add(n, from, to); err != nil {
				return nil, err
			}
		}
	}
	set, err := b.finish()
	if all := s.before(len(s.Shards)); err == nil && g.Size() > 1 {
		set.Meta.Part = &dataset.Part{Peers: g, FirstRow: first.row, FirstQuery: first.query, Rows: all.row,
			Queries: all.query}
	}
	return set, err
}

// next returns where the part of the next peer begins, given where this peer's begins. After the last peer,
// it returns the end of all files.
func (s *Shards) next(own cut, g peers.Group) cut {
	begins := g.Gather([]int64{int64(own.query), int64(own.row)})
	if rank := g.Rank() + 1; rank < g.Size() {
		return cut{int(begins[rank][0]), int(begins[rank][1])}
	}
	return s.before(len(s.Shards))
}

// cut returns where the part of a peer begins. Peers get whole files if all of them can get the same number.
func (s *Shards) cut(rank, size int) (cut, error) {
	all := len(s.Shards)
	if all%size == 0 {
		return s.before(all / size * rank), nil
	}
	row := s.before(all).row / size * rank
	n := 0
	for row >= s.before(n+1).row {
		n++
	}
	begin := s.before(n)
	if row == begin.row {
		return begin, nil
	}
	f, err := s.open(n, Options{})
	if err != nil {
		return cut{}, err
	}
	defer f.Close()
	query, _ := slices.BinarySearchFunc(f.Meta.Queries, row-begin.row, func(q dataset.Query, row int) int {
		return q.First - row
	})
	if query == len(f.Meta.Queries) {
		return s.before(n + 1), nil
	}
	return cut{begin.query + query, begin.row + f.Meta.Queries[query].First}, nil
}

// building is a set that is put together from parts of files.
type building struct {
	shards *Shards
	opts   Options
	rows   int // that it will have
	set    *Set
	bins   []byte
	sparse histogram.SparseRows
	nans   []int64
}

// add appends the queries [from, to) of a file.
func (b *building) add(n, from, to int) error {
	f, err := b.shards.open(n, b.opts)
	if err != nil {
		return err
	}
	defer f.Close()
	if b.set == nil {
		if err := b.begin(f); err != nil {
			return err
		}
	}
	meta, rows := b.set.Meta, f.Bins
	before := meta.NumRows()
	meta.AppendQueries(f.Meta, from, to)
	meta.EmptyQueries += f.Meta.EmptyQueries
	if n := meta.NumRows() - before; n < rows.NumRows() {
		first := 0
		if n > 0 {
			first = f.Meta.Queries[from].First
		}
		rows = rows.Rows(first, first+n)
	}
	raw := rows.Raw()
	b.bins = append(b.bins, raw.Bins...)
	appendSparse(&b.sparse, raw.Sparse)
	for i, nans := range raw.NaNs {
		b.nans[i] += nans
	}
	return nil
}

// begin sets what all files have in common. It fails if the memory limit is below what the rows need.
func (b *building) begin(f *File) error {
	b.opts.Mapper = f.Bins.Mapper
	const ofLabel = 8
	if err := limits.Check(b.opts.Mapper.Bytes(b.rows)+ofLabel*b.rows,
		fmt.Sprintf("the bins of %d rows", b.rows),
		"train on more peers, or on machines that have more"); err != nil {
		return err
	}
	b.nans = make([]int64, len(f.Bins.NaNs))
	// limits what a wrong list can allocate
	size := b.shards.size()
	// allocated in one piece, because it may be most of the available memory
	b.bins = make([]byte, 0, min(b.rows*b.opts.Mapper.Stride(), size))
	meta := *f.Meta
	meta.Queries, meta.EmptyQueries = nil, 0
	meta.Labels = make([]float64, 0, min(b.rows, size/ofLabel))
	meta.Weights = emptyIf[float64](b.shards.Weights)
	meta.InitialScores = emptyIf[float64](b.shards.InitialScores)
	meta.SecondLabels = emptyIf[float64](b.shards.SecondLabels)
	meta.Positions = emptyIf[int32](b.shards.Positions)
	b.set = &Set{Meta: &meta, Params: f.Params, FeatureBase: f.FeatureBase}
	return nil
}

// emptyIf returns an empty slice if rows have these values, and nil otherwise.
func emptyIf[T any](have bool) []T {
	if have {
		return []T{}
	}
	return nil
}

func (b *building) finish() (_ *Set, err error) {
	if err := b.set.Meta.Check(); err != nil {
		return nil, &Error{Path: b.shards.folder, Err: err}
	}
	b.set.Bins, err = histogram.FromRaw(b.opts.Mapper, histogram.Raw{Rows: b.set.Meta.NumRows(), NaNs: b.nans,
		Bins: b.bins, Sparse: b.sparse}, b.opts.Workers)
	return b.set, err
}

// WriteShards makes each peer write its part of the data into a folder, and returns when the folder is
// complete. write writes the part of this peer to the file at path. The folder is new, or has shards, which
// are replaced.
func WriteShards(folder string, s *Set, write func(path string) error) error {
	g := s.Meta.Part.Group()
	h := fnv.New64a()
	fmt.Fprintf(h, "%q", s.Meta.PositionNames)
	if !g.Same([]int64{int64(h.Sum64())}) {
		return &Error{Path: folder, Err: ErrPlaces}
	}
	if err := first(g, func() error { return emptyFolder(folder) }); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil { // for a machine with its own file system
		return err
	}
	path := filepath.Join(folder, shardName(g.Rank()))
	if err := write(path); err != nil {
		return err
	}
	sum, err := readChecksum(path)
	if err != nil {
		return err
	}
	list := Shards{folder: folder}
	for rank, words := range g.Gather([]int64{int64(s.Meta.NumRows()), int64(len(s.Meta.Queries)),
		int64(sum)}) {
		list.Shards = append(list.Shards, Shard{File: shardName(rank), Rows: int(words[0]), Queries: int(words[1]),
			Checksum: uint32(words[2])})
	}
	list.Weights, list.InitialScores = g.Any(s.Meta.Weights != nil), g.Any(s.Meta.InitialScores != nil)
	list.SecondLabels, list.Positions = g.Any(s.Meta.SecondLabels != nil), g.Any(s.Meta.Positions != nil)
	return first(g, list.write)
}

// first calls do on rank 0 while the others wait. All of them return its error.
func first(g peers.Group, do func() error) error {
	var text []byte
	if g.Rank() == 0 {
		err := do()
		if err != nil {
			text = []byte(err.Error())
		}
		g.FromFirst(text)
		return err
	}
	if text = g.FromFirst(nil); len(text) > 0 {
		return errors.New(string(text))
	}
	return nil
}

// write writes the list, if all files are there.
func (s *Shards) write() error {
	for _, listed := range s.Shards {
		path := filepath.Join(s.folder, listed.File)
		if sum, err := readChecksum(path); err != nil || sum != listed.Checksum {
			return &Error{Path: path, Err: ErrUnseen}
		}
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return stream.WriteFile(filepath.Join(s.folder, shardList), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

func shardName(rank int) string { return fmt.Sprintf("%d.bin", rank) }

// readChecksum returns the checksum of the first bytes of a file.
func readChecksum(path string) (uint32, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var sum [4]byte
	if _, err := f.ReadAt(sum[:], checksumAt); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(sum[:]), nil
}

// emptyFolder makes the folder, or removes the shards in it.
func emptyFolder(folder string) error {
	if err := os.Mkdir(folder, 0o777); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !isOfShards(e.Name()) {
			return &Error{Path: folder, Detail: e.Name(), Err: ErrOccupied}
		}
	}
	_ = os.Remove(filepath.Join(folder, shardList)) // first, so that no list names files that are gone
	for _, e := range entries {
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// isOfShards reports whether WriteShards gives this name to a file, or left a file of this name because it
// was killed.
func isOfShards(name string) bool {
	var rank int
	if name == shardList || strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp") {
		return true
	}
	_, err := fmt.Sscanf(name, "%d.bin", &rank)
	return err == nil && name == shardName(rank)
}
