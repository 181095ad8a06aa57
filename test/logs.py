"""Makes small logs of a search engine for docs/training-data.ipynb, with known relevance and known effects of positions.

    python3 test/logs.py FOLDER

FOLDER gets logged.jsonl (features that the learning-to-rank plug-in of Elasticsearch or OpenSearch logs), judged.csv
(grades), ubi_queries.ndjson and ubi_events.ndjson (searches and clicks as OpenSearch's User Behavior Insights stores
them). Uses only the standard library; the same files every time.
"""

import json
import random
import sys
from pathlib import Path

SEEN = [1, 0.7, 0.5, 0.35, 0.25, 0.2, 0.15, 0.1]  # how often a position is looked at
QUERIES, SEARCHES = 40, 400  # searches of each query


def documents() -> dict[str, dict[str, float]]:
    """Returns how attractive each document of each query is: the probability of a click if it is looked at."""
    draw = random.Random(7)
    return {f"query {q}": {f"d{d}": 0.02 + 0.9 * draw.random() * draw.random() for d in range(len(SEEN))} for q in range(QUERIES)}


def main() -> None:
    folder, draw = Path(sys.argv[1]), random.Random(8)
    folder.mkdir(parents=True, exist_ok=True)
    logged, judged, queries, events = [], ["qid,doc,grade"], [], []
    for query, known in documents().items():
        logged.append({"qid": query, "response": {"hits": {"hits": [{"_id": doc, "fields": {"_ltrlog": [{"main": features(draw, liked)}]}} for doc, liked in known.items()]}}})
        judged += [f"{query},{doc},{int(5 * liked)}" for doc, liked in known.items() if draw.random() < 0.9] + [f"{query},absent,0"]
        for number in range(SEARCHES):
            shown = sorted(known, key=lambda doc: known[doc] + draw.gauss(0, 0.15), reverse=True)  # mostly in the right order
            search = f"{query} {number}"
            queries.append({"query_id": search, "client_id": "c", "user_query": query, "query_response_hit_ids": shown})
            for place, doc in enumerate(shown):
                if draw.random() < SEEN[place] * known[doc]:
                    about = {"object": {"object_id": doc, "object_id_field": "_id"}, "position": {"ordinal": place + 1}}
                    events.append({"action_name": "click", "query_id": search, "client_id": "c", "event_attributes": about})
    (folder / "judged.csv").write_text("\n".join(judged) + "\n")
    for name, lines in ("logged.jsonl", logged), ("ubi_queries.ndjson", queries), ("ubi_events.ndjson", events):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def features(draw: random.Random, liked: float) -> list[dict]:
    """Returns the features of a document. One that did not match has no value."""
    body = {"name": "body", "value": round(3 * draw.random(), 4)} if draw.random() < 0.8 else {"name": "body"}
    return [{"name": "title", "value": round(5 * liked + draw.random(), 4)}, body]


if __name__ == "__main__":
    main()
