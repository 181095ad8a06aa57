package serving

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/scoring"
)

// place is where a model may be.
type place struct{ name, version, path string }

// model is a model that was loaded from a place. It is immutable.
type model struct {
	place
	*ranker
	sha256 string
	loaded time.Time
}

// models are the models of a folder, or a single one. They follow changes of the folder:
//
//	models/
//	    shop.txt                 the model "shop", version 1
//	    news/3/model.txt         the model "news", version 3
//	    news/4/model.txt.gz      version 4, which answers requests that name no version
//
// To avoid half-written files, write a new file beside the old one and rename it. A file that changes while
// it is read is tried again at the next refresh.
type models struct {
	path      string
	maxValues int // of a request
	log       *slog.Logger

	refreshing sync.Mutex
	state      atomic.Pointer[state]

	loads, failures *metrics.Counter // of files
}

// state is the set of loaded models. It is immutable.
type state struct {
	files  map[string]*file    // by path
	models map[string][]*model // by name, in ascending order of versions
}

// file is a file of the folder, as it was when it was last read.
type file struct {
	info  os.FileInfo
	model *model // nil if none was ever loaded
	err   error  // of the last reading
}

// openModels returns the models of a folder, or of a single file. It fails if the folder cannot be read or no
// model can be loaded.
func openModels(path string, maxValues int, log *slog.Logger, set *metrics.Set) (*models, error) {
	m := &models{path: path, maxValues: maxValues, log: log,
		loads:    set.NewCounter(series("lambdamart_model_loads_total", "result", "ok")),
		failures: set.NewCounter(series("lambdamart_model_loads_total", "result", "failed"))}
	m.state.Store(new(state))
	if err := m.refresh(); err != nil {
		return nil, err
	}
	s := m.state.Load()
	if len(s.models) > 0 {
		return m, nil
	}
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		return nil, fmt.Errorf("no model could be loaded: %w", s.files[path].err)
	}
	return nil, fmt.Errorf("%s: there is no model in this folder; put one there as NAME.txt or "+
		"NAME/VERSION/model.txt", path)
}

// refresh loads new and changed files while the old models continue to answer, and then replaces all models
// together. If a file cannot be loaded, its old model stays; if a file is gone, its model goes. If the folder
// cannot be read, refresh returns an error and changes nothing.
func (m *models) refresh() error {
	m.refreshing.Lock()
	defer m.refreshing.Unlock()
	before := m.state.Load()
	next, err := m.read(before)
	for range mostReadings { // a version that replaced another while the folder was read may be missing
		if err != nil || !next.lacks(before) {
			break
		}
		next, err = m.read(next)
	}
	if err != nil {
		return err
	}
	for path, f := range before.files {
		if next.files[path] == nil && f.model != nil {
			m.log.Info("model removed", "model", f.model.name, "version", f.model.version, "path", path)
		}
	}
	m.state.Store(next)
	return nil
}

// mostReadings is how often the folder is read again before a model is gone.
const mostReadings = 10

// read returns the models of the folder. Files that are as before are not read.
func (m *models) read(before *state) (*state, error) {
	places, err := find(m.path)
	if err != nil {
		return nil, err
	}
	next := &state{make(map[string]*file), make(map[string][]*model)}
	for _, p := range places {
		f := m.follow(p, before.files[p.path])
		if errors.Is(f.err, fs.ErrNotExist) {
			continue // it has gone since the folder was read
		}
		next.files[p.path] = f
		if f.model != nil {
			next.models[p.name] = append(next.models[p.name], f.model)
		}
	}
	return next, nil
}

// lacks reports whether a model of before has no version in s.
func (s *state) lacks(before *state) bool {
	for name := range before.models {
		if s.models[name] == nil {
			return true
		}
	}
	return false
}

// follow reads the file at a place, unless it is as before, when it was last read.
func (m *models) follow(p place, before *file) *file {
	info, _ := os.Stat(p.path) // reading reports the error
	if before != nil && unchanged(before.info, info) {
		return before
	}
	f := &file{info: info}
	if before != nil {
		f.model = before.model
	}
	log := m.log.With("model", p.name, "version", p.version, "path", p.path)
	loaded, err := load(p, m.maxValues, log)
	if err == nil {
		f.model = loaded
		m.loads.Inc()
		log.Info("model loaded", "sha256", loaded.sha256, "features", len(loaded.names), "seconds",
			time.Since(loaded.loaded).Seconds())
		return f
	}
	f.err = fmt.Errorf("%s: %w", p.path, err)
	switch now, _ := os.Stat(p.path); {
	case errors.Is(err, errOther) && f.model == nil:
		log.Info("file left out: it is not a model file")
	case unchanged(info, now): // else it is still being written, and read again at the next refresh
		m.failures.Inc()
		log.Error("model not loaded", "error", f.err.Error(), "former_model_stays", f.model != nil)
	}
	return f
}

// unchanged reports whether a file is the same with the same content, as far as the file system tells. It is
// not if either is nil.
func unchanged(before, now os.FileInfo) bool {
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// errOther is the error for a file that does not look like a model and does not have the name of one.
var errOther = errors.New("this is not a model file")

// load reads and prepares the model at a place.
func load(p place, maxValues int, log *slog.Logger) (*model, error) {
	if _, err := os.ReadDir(p.path); err == nil {
		return nil, errors.New("this folder has no file model.txt (or .json, .nn and so on)")
	}
	if found, err := lambdamart.IsModel(p.path); !found && err == nil && nameOf(p.path) != modelFile {
		return nil, errOther
	}
	start, hash := time.Now(), sha256.New()
	content, err := stream.Read(p.path, func(in io.Reader, _ string) (lambdamart.Model, error) {
		return lambdamart.ReadModelFrom(io.TeeReader(in, hash))
	})
	if err != nil {
		return nil, err
	}
	if remark := scoring.RemarkOf(content); remark != "" {
		log.Warn(remark)
	}
	ranker, err := newRanker(content, maxValues, log)
	if err != nil {
		return nil, err
	}
	return &model{p, ranker, fmt.Sprintf("%x", hash.Sum(nil)), start}, nil
}

// modelFile is the name of a file in the folder of a version, without its extensions.
const modelFile = "model"

// find lists the places of models in a folder, in ascending order of versions, or the file at path. Names
// that begin with a dot are left out. Two places for one model and version are an error.
func find(path string) (all []place, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []place{{nameOf(path), "1", path}}, err
	}
	entries, err := visible(path)
	for _, e := range entries {
		if versions, err := visible(e); err == nil {
			all = append(all, versionsIn(filepath.Base(e), versions)...)
		} else { // it is a file, or reading it reports the error
			all = append(all, place{nameOf(e), "1", e})
		}
	}
	slices.SortFunc(all, func(a, b place) int { // versions are numbers without leading zeros
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(len(a.version), len(b.version)),
			strings.Compare(a.version, b.version))
	})
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; a.name == b.name && a.version == b.version {
			return nil, fmt.Errorf("%s and %s are both version %s of the model %q; rename or remove one", a.path,
				b.path, b.version, b.name)
		}
	}
	return all, err
}

// versionsIn lists the places of the versions of a model in their folders. The place of a version without a
// file is its folder, so that this is reported, unless it is empty: its file may not have been written yet.
func versionsIn(name string, folders []string) (all []place) {
	for _, folder := range folders {
		number := filepath.Base(folder)
		if n, err := strconv.Atoi(number); err != nil || n < 1 || strconv.Itoa(n) != number {
			continue
		}
		files, err := visible(folder)
		found := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return nameOf(f) != modelFile })
		if len(found) == 0 && (err != nil || len(files) > 0) {
			found = []string{folder}
		}
		for _, f := range found {
			all = append(all, place{name, number, f})
		}
	}
	return all
}

// visible returns the paths in a folder without those whose names begin with a dot.
func visible(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, err
}

// nameOf returns the model name for a file name: without extensions of compression and format.
func nameOf(path string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".zst")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// find returns a version of a model, the newest one if version is empty.
func (m *models) find(name, version string) (*model, error) {
	models := m.state.Load().models
	for _, v := range slices.Backward(models[name]) {
		if version == "" || v.version == version {
			return v, nil
		}
	}
	if models[name] == nil {
		return nil, errorf(http.StatusNotFound, "there is no model %q; did you mean %q?", name,
			wording.Nearest(name, slices.Sorted(maps.Keys(models))))
	}
	return nil, errorf(http.StatusNotFound, "the model %q has no version %q; it has %s", name, version,
		strings.Join(m.versions(name), ", "))
}

// versions returns the versions of a model in ascending order.
func (m *models) versions(name string) (all []string) {
	for _, v := range m.state.Load().models[name] {
		all = append(all, v.version)
	}
	return all
}

// all returns the loaded models.
func (m *models) all() []*model {
	return slices.Concat(slices.Collect(maps.Values(m.state.Load().models))...)
}
