package plot

import "fmt"

// Branches is a drawing of a decision tree from left to right. The upper branch of a node has the rows for
// which its condition holds.
type Branches struct {
	ID, Title, Description string
	Root                   Branch
}

// Branch is a node or a leaf.
type Branch struct {
	Text     string   // the condition, or the value of the leaf
	Note     string   // a short text below it
	Positive bool     // the value of a leaf raises scores
	Folded   bool     // it has children, which are not shown
	Children []Branch // where the condition holds, and where not; none for a leaf
}

const (
	branchPitch = 40.0
	branchWidth = 190.0
	branchGap   = 26.0
)

func (b *Branch) leaves() int {
	n := 0
	for i := range b.Children {
		n += b.Children[i].leaves()
	}
	return max(n, 1)
}

func (b *Branch) depth() int {
	deepest := 0
	for i := range b.Children {
		deepest = max(deepest, b.Children[i].depth())
	}
	return deepest + 1
}

// Draw draws the tree.
func (v *Branches) Draw() string {
	width := float64((branchWidth+branchGap)*float64(v.Root.depth())) + 8
	height := float64(branchPitch*float64(v.Root.leaves())) + 12
	return document(v.ID, v.Title, v.Description, width, height, func(c *canvas) { v.Root.draw(c, 4, 6) })
}

// draw draws a branch with its upper left corner at a place, and returns the height of its middle.
func (b *Branch) draw(c *canvas, left, top float64) float64 {
	at, center := top, top+branchPitch/2
	var ends []float64
	for i := range b.Children {
		ends = append(ends, b.Children[i].draw(c, left+branchWidth+branchGap, at))
		at += float64(branchPitch * float64(b.Children[i].leaves()))
	}
	if len(ends) > 0 {
		center = float64((ends[0] + ends[len(ends)-1]) / 2)
	}
	for _, end := range ends {
		fmt.Fprintf(c, `<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="%s"/>`+"\n",
			left+branchWidth, center, left+branchWidth+15, center, left+branchWidth+10, end,
			left+branchWidth+branchGap, end, textColor)
	}
	stroke := textColor
	if len(b.Children) == 0 && !b.Folded {
		stroke = loseColor
		if b.Positive {
			stroke = winColor
		}
	}
	border := fmt.Sprintf(` rx="4" stroke="%s" stroke-width="1.5"`, stroke)
	c.rect(left, center-17, branchWidth, 34, "none", border)
	c.text(left+8, center-2, begins, 12, clipped(b.Text, 25))
	c.text(left+8, center+13, begins, 11, clipped(b.Note, 28))
	return center
}
