package serving

import (
	"cmp"
	"context"
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

// model is a model and the file at its place, as it was when it was last read. It is immutable.
type model struct {
	place
	info os.FileInfo
	err  error // of the last reading

	*ranker // of the last reading without an error; nil if there was none
	sha256  string
	loaded  time.Time
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

// state is what was found in the folder. It is immutable.
type state struct {
	files  map[string]*model   // by path
	models map[string][]*model // those that were loaded, by name, in ascending order of versions
}

// openModels returns the models of a folder, or of a single file. It fails if the folder cannot be read or no
// model can be loaded.
func openModels(path string, maxValues int, log *slog.Logger, set *metrics.Set) (*models, error) {
	m := &models{path: path, maxValues: maxValues, log: log,
		loads:    set.NewCounter(`lambdamart_model_loads_total{result="ok"}`),
		failures: set.NewCounter(`lambdamart_model_loads_total{result="failed"}`)}
	m.state.Store(new(state))
	err := m.refresh()
	s := m.state.Load()
	if err != nil || len(s.models) > 0 {
		return m, err
	}
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		return nil, fmt.Errorf("no model could be loaded: %w", s.files[path].err)
	}
	return nil, fmt.Errorf("%s: there is no model in this folder; put one there as NAME.txt or "+
		"NAME/VERSION/model.txt", path)
}

// watch refreshes the models regularly. An error is logged once.
func (m *models) watch(ctx context.Context, every time.Duration) {
	last := ""
	for tick := time.Tick(every); ; { // nil, which never ticks, if it is 0
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		err := m.refresh()
		text := fmt.Sprint(err)
		if err != nil && text != last {
			m.log.Error("folder of models not read; all models stay", "error", text)
		}
		last = text
	}
}

// mostReadings is how often the folder is read before a model is gone: while it is read, one version may
// replace another.
const mostReadings = 10

// refresh loads new and changed files while the old models continue to answer, and then replaces all models
// together. If a file cannot be loaded, its old model stays; if a file is gone, its model goes. If the folder
// cannot be read, refresh returns an error and changes nothing.
func (m *models) refresh() error {
	m.refreshing.Lock()
	defer m.refreshing.Unlock()
	before := m.state.Load()
	next := before
	isGone := func(name string) bool { return next.models[name] == nil }
	for range mostReadings {
		places, err := find(m.path)
		if err != nil {
			return err
		}
		next = m.read(places, next.files)
		if !slices.ContainsFunc(slices.Collect(maps.Keys(before.models)), isGone) {
			break
		}
	}
	for path, f := range before.files {
		if f.ranker != nil && next.files[path] == nil {
			m.log.Info("model removed", "model", f.name, "version", f.version, "path", path)
		}
	}
	m.state.Store(next)
	return nil
}

// read returns the models at some places. Files that are as before are not read.
func (m *models) read(places []place, before map[string]*model) *state {
	next := &state{make(map[string]*model), make(map[string][]*model)}
	for _, p := range places {
		f := m.follow(p, before[p.path])
		if errors.Is(f.err, fs.ErrNotExist) {
			continue // it has gone since the folder was read
		}
		next.files[p.path] = f
		if f.ranker != nil {
			next.models[p.name] = append(next.models[p.name], f)
		}
	}
	return next
}

// follow reads the file at a place, unless it is as before, when it was last read.
func (m *models) follow(p place, before *model) *model {
	before = cmp.Or(before, &model{place: p})
	info, _ := os.Stat(p.path) // reading reports the error
	if unchanged(before.info, info) {
		return before
	}
	f := *before
	f.info = info
	log := m.log.With("model", p.name, "version", p.version, "path", p.path)
	f.err = f.load(m.maxValues, log)
	if f.err == nil {
		m.loads.Inc()
		log.Info("model loaded", "sha256", f.sha256, "features", len(f.names), "seconds",
			time.Since(f.loaded).Seconds())
		return &f
	}
	f.err = fmt.Errorf("%s: %w", p.path, f.err)
	switch now, _ := os.Stat(p.path); {
	case errors.Is(f.err, errOther) && f.ranker == nil:
		log.Info("file left out: it is not a model file")
	case unchanged(info, now): // else it is still being written, and read again at the next refresh
		m.failures.Inc()
		log.Error("model not loaded", "error", f.err.Error(), "former_model_stays", f.ranker != nil)
	}
	return &f
}

// unchanged reports whether a file is the same with the same content, as far as the file system tells. It is
// not if either is nil.
func unchanged(before, now os.FileInfo) bool {
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// errOther is the error for a file that does not look like a model and does not have the name of one.
var errOther = errors.New("this is not a model file")

// load reads and prepares the model of a file. If it fails, the former model stays.
func (m *model) load(maxValues int, log *slog.Logger) error {
	if m.info != nil && m.info.IsDir() {
		return errors.New("this folder has no file model.txt (or .json, .nn and so on)")
	}
	if found, err := lambdamart.IsModel(m.path); !found && err == nil && nameOf(m.path) != modelFile {
		return errOther
	}
	start, hash := time.Now(), sha256.New()
	content, err := stream.Read(m.path, func(in io.Reader, _ string) (lambdamart.Model, error) {
		return lambdamart.ReadModelFrom(io.TeeReader(in, hash))
	})
	if err != nil {
		return err
	}
	ranker, err := newRanker(content, maxValues, log)
	if err != nil {
		return err
	}
	if remark := scoring.RemarkOf(content); remark != "" {
		log.Warn(remark)
	}
	m.ranker, m.sha256, m.loaded = ranker, fmt.Sprintf("%x", hash.Sum(nil)), start
	m.parameters["version"], m.parameters["sha256"] = m.version, m.sha256
	return nil
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
		versions, err := visible(e)
		if err != nil { // it is a file, or reading it reports the error
			all = append(all, place{nameOf(e), "1", e})
		}
		for _, folder := range versions {
			all = append(all, inVersion(filepath.Base(e), folder)...)
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

// inVersion lists the places of a model in the folder of a version. The place of one without a model is the
// folder, so that this is reported, unless it is empty: its file may not have been written yet.
func inVersion(name, folder string) (all []place) {
	number := filepath.Base(folder)
	if n, err := strconv.Atoi(number); err != nil || n < 1 || strconv.Itoa(n) != number {
		return nil
	}
	files, err := visible(folder)
	for _, f := range files {
		if nameOf(f) == modelFile {
			all = append(all, place{name, number, f})
		}
	}
	if all == nil && (err != nil || len(files) > 0) {
		all = []place{{name, number, folder}}
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
