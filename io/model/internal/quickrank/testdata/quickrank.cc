// What the goldens of this folder are made with: QuickRank's own trees, which read,
// write and score a model. See generate.py.
//
//   quickrank rewrite MODEL.xml OUT.xml   as QuickRank's Mart writes it
//   quickrank score MODEL.xml ROWS        features from 1, one row a line; prints scores

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "learning/tree/ensemble.h"
#include "learning/tree/rtnode.h"

static void rewrite(const Ensemble &ensemble, const pugi::xml_document &model, const char *path) {
  pugi::xml_document document;
  pugi::xml_node ranker = document.append_child("ranker");
  ranker.append_copy(model.child("ranker").child("info"));
  ensemble.append_xml_model(ranker);
  document.save_file(path, "\t", pugi::format_default | pugi::format_save_file_text);
}

static void score(const Ensemble &ensemble, const char *path) {
  std::ifstream rows(path);
  std::string line, word;
  while (std::getline(rows, line)) {
    std::stringstream words(line);
    std::vector<float> row;
    while (words >> word) row.push_back(strtof(word.c_str(), nullptr));
    printf("%.17g\n", ensemble.score_instance(row.data(), 1));
  }
}

int main(int argc, char **argv) {
  pugi::xml_document model;
  if (argc != 4 || !model.load_file(argv[2])) return 1;
  Ensemble ensemble;
  ensemble.set_capacity(1000);
  for (const auto &tree : model.child("ranker").child("ensemble").children())
    ensemble.push(RTNode::parse_xml(tree.child("split")), tree.attribute("weight").as_double(), -1);
  if (strcmp(argv[1], "rewrite") == 0) {
    rewrite(ensemble, model, argv[3]);
  } else {
    score(ensemble, argv[3]);
  }
}
