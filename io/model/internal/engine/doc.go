// Package engine describes the programs that load exported models: their names and versions ([Version]), how
// they treat missing values ([Missing], [Era]), and what they can represent ([Capabilities]). A model that an
// engine cannot represent is refused with a [Refusal], so no exported file scores differently from its model.
package engine
