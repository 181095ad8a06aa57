package booster

// Remarks returns what a user should know about a training run on d, one sentence per entry: warnings of data
// that is not used, and notes on how the rest is used. own means that the objective is the caller's.
func (p *Params) Remarks(d Data, own bool) (warnings, notes []string) {
	add := func(list *[]string, text string) {
		if text != "" {
			*list = append(*list, text)
		}
	}
	add(&warnings, p.secondLabelsRemark(d.Meta, own))
	add(&warnings, p.interactionsRemark(d))
	add(&warnings, p.byNodeRemark(d))
	add(&notes, p.ActiveRemark(d.Meta.AllRows()))
	if text, ignored := p.positionsRemark(d.Meta, own); ignored {
		add(&warnings, text)
	} else {
		add(&notes, text)
	}
	return warnings, notes
}
