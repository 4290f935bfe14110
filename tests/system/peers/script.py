"""What users of metric-learn write: classification, pairs with a threshold, searches over both.

Runs with metric-learn 0.7; tests/estimators/test_metric_learn_names.py runs it with our names.
"""

import numpy as np
from metric_learn import ITML, LMNN, NCA, ITML_Supervised
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

X, y = load_iris(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# A metric from labelled samples, and what it can do.
lmnn = LMNN(n_neighbors=3)
lmnn.fit(X_train, y_train)
mapped = lmnn.transform(X_test)
M = lmnn.get_mahalanobis_matrix()
distance = lmnn.get_metric()
far = distance(X_test[0], X_test[1])
nca = NCA(n_components=2, max_iter=50, random_state=0)
flat = nca.fit_transform(X_train, y_train)
itml_labels = ITML_Supervised(n_constraints=200, random_state=0)
itml_labels.fit(X_train, y_train)

# Nearest neighbours in the learned metric, alone and in a search.
knn = make_pipeline(LMNN(n_neighbors=3), KNeighborsClassifier())
knn_scores = cross_val_score(knn, X_train, y_train, cv=3)
steps = [("nca", NCA(random_state=0)), ("knn", KNeighborsClassifier())]
grid = {"nca__n_components": [1, 2], "knn__n_neighbors": [1, 5]}
knn_search = GridSearchCV(Pipeline(steps), grid, cv=3)
knn_search.fit(X_train, y_train)
knn_accuracy = knn_search.score(X_test, y_test)

# Pairs: rows of X, +1 for the same class and -1 for others.
rng = np.random.RandomState(0)
pairs = rng.randint(len(X), size=(300, 2))
pairs = pairs[pairs[:, 0] != pairs[:, 1]]
y_pairs = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
learn, validate, check = slice(0, 150), slice(150, 220), slice(220, None)
itml = ITML(preprocessor=X)
itml.fit(pairs[learn], y_pairs[learn])
first = itml.predict(pairs[check])
itml.calibrate_threshold(pairs[validate], y_pairs[validate])
calibrated = np.mean(itml.predict(pairs[check]) == y_pairs[check])
ranking = itml.decision_function(pairs[check])
itml.set_threshold(0.0)
none = itml.predict(pairs[check])

# A search over pairs.
pair_search = GridSearchCV(ITML(preprocessor=X), {"gamma": [0.1, 1.0]}, cv=3)
pair_search.fit(pairs[learn], y_pairs[learn])
found = pair_search.score(pairs[check], y_pairs[check])
