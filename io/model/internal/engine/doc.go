// Package engine describes the programs that load exported models: their names and versions
// ([Version]), what they do with missing values ([Missing], [Era]), and what they can hold of a
// model ([Capabilities]). A model that an engine cannot hold is refused by name ([Refusal]), so
// that no exported file scores differently from its model.
package engine
