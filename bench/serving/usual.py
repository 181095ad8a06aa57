"""A typical server of a LightGBM model: FastAPI, a list of lists, Booster.predict. uvicorn runs it."""

import os

import lightgbm
import numpy as np
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
model = lightgbm.Booster(model_file=os.environ["MODEL"])


class Query(BaseModel):
    features: list[list[float]]


@app.post("/predict")
def predict(query: Query) -> list[float]:
    return model.predict(np.array(query.features), raw_score=True).tolist()
