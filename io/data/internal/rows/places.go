package rows

import (
	"bytes"

	"github.com/lambdamart/lambdamart/dataset"
)

// places are the positions at which the documents of rows were shown.
type places struct {
	rows    []int32  // number of the place of each row; nil if that is not known
	names   []string // of the places, in the order in which they first appear
	numbers map[string]int32
}

// mostPlaces is the largest number of different positions. More are not places on a page.
const mostPlaces = 1 << 16

// add names the place of another row, and appends it if the row is to be kept.
func (p *places) add(name []byte, keep bool) {
	if number := p.number(string(name)); keep {
		p.rows = append(p.rows, number)
	}
}

// number returns the number of a place, which it gets when it first appears.
func (p *places) number(name string) int32 {
	if p.numbers == nil {
		p.numbers = map[string]int32{}
	}
	number, known := p.numbers[name]
	if !known {
		number = int32(len(p.names))
		p.names = append(p.names, name)
		p.numbers[name] = number
	}
	return number
}

// append appends the places of other rows. It is an error if there are too many different ones.
func (p *places) append(path string, more *places) error {
	translated := make([]int32, len(more.names))
	for i, name := range more.names {
		translated[i] = p.number(name)
	}
	if len(p.names) > mostPlaces {
		return &dataset.Error{Path: path, Err: dataset.ErrPositions}
	}
	for _, number := range more.rows {
		p.rows = append(p.rows, translated[number])
	}
	return nil
}

// agree numbers the places as in the data of all peers: the places of rank 0 in their order, then the new
// ones of rank 1, and so on. It is a collective.
func (p *places) agree(path string, part *dataset.Part) error {
	g := part.Group()
	var all places
	for rank, names := range g.GatherTexts(p.names) {
		own := places{names: names}
		if rank == g.Rank() {
			own.rows = p.rows
		}
		if err := all.append(path, &own); err != nil {
			return err
		}
	}
	*p = all
	return nil
}

// IsPlace reports whether a word can be the name of a place: it is not empty and has no blanks and no byte
// order mark, so that a companion can hold it.
func IsPlace(word []byte) bool { return len(word) > 0 && !bytes.ContainsAny(word, " \t\r\n\ufeff") }
