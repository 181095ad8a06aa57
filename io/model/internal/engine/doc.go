// Package engine describes the programs that load exported models, in their newest versions: how they treat
// missing values ([Missing]), and what they can represent ([Capabilities]). A model that an engine cannot
// represent is refused with a [Refusal], so no exported file scores differently from its model.
package engine
