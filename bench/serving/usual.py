"""A typical server of a LightGBM model: FastAPI, a list of lists, Booster.predict. uvicorn runs it."""

import os

import lightgbm
import numpy as np
from fastapi import FastAPI, Request
from pydantic import BaseModel

app = FastAPI()
model = lightgbm.Booster(model_file=os.environ["MODEL"])


class Query(BaseModel):
    features: list[list[float]]


@app.post("/predict")
def predict(query: Query) -> list[float]:
    return model.predict(np.array(query.features), raw_score=True).tolist()


@app.post("/binary")
async def binary(request: Request) -> list[float]:
    """The same, optimized: a binary matrix and one thread."""
    rows = np.frombuffer(await request.body()).reshape(-1, model.num_feature())
    return model.predict(rows, raw_score=True, num_threads=1).tolist()
