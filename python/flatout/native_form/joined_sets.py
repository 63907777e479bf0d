"""What lies below torch's own Subset (random_split makes them) and ConcatDataset."""


def joined(torch, dataset):
    """(datasets, places): sample i is number places[i] of all samples of these datasets, one after the other; i itself where
    places is None."""
    kinds = torch.utils.data
    if type(dataset) is kinds.Subset:
        datasets, places = joined(torch, dataset.dataset)
        chosen = [int(index) for index in dataset.indices]
        return datasets, chosen if places is None else [places[index] for index in chosen]
    if type(dataset) is kinds.ConcatDataset:
        return _one_after_the_other(torch, dataset.datasets)
    return [dataset], None


def _one_after_the_other(torch, parts):
    out, places, straight, first = [], [], True, 0
    for part in parts:
        datasets, inner = joined(torch, part)
        count = sum(map(len, datasets))
        straight = straight and inner is None
        places += range(first, first + count) if inner is None else [first + place % count for place in inner]
        out += datasets
        first += count
    return out, None if straight else places
