"""The order of elimination in which the factors of the contact matrix stay sparse.

In this matrix all contacts of a ball are coupled. Eliminating the contacts between two balls
couples all other contacts of both. So the two balls become one cluster. Then two clusters are
merged in the same way, until no two touch: always those that will have the fewest contacts with
others, the minimum degree (A. George, J. W. H. Liu, The evolution of the minimum degree ordering
algorithm, SIAM Review 31, 1989).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spheresim.compiler.by_reference import by_reference
from spheresim.compiler.decorators import inlined, routine
from spheresim.contact.contact_list import NO_INDEX
from spheresim.numerics.arrays import Records

CLUSTER_FIELDS = [
    ("head", "i4"),  # the first of its links, or NO_INDEX
    ("outside", "i4"),  # the number of its contacts with other clusters
    ("link", "i4"),  # its link with the cluster that grows at present, or NO_INDEX
]

LINK_FIELDS = [
    ("first", "i4"),  # the clusters that it joins
    ("second", "i4"),
    ("next_of_first", "i4"),  # the next link of the first cluster, or NO_INDEX
    ("next_of_second", "i4"),
    ("count", "i4"),  # the number of its contacts; 0 once they are eliminated, or of another link
    ("last_contact", "i4"),  # its last contact; the first one has the number of the link
    ("next_contact", "i4"),  # the contact after the one with this number, of the same link
    ("degree", "i4"),  # the number of contacts of its clusters with others
    ("before", "i4"),  # the links before and after it in the list of its degree, or NO_INDEX
    ("after", "i4"),
]


@by_reference
class OrderWorkspace(NamedTuple):
    """The arrays for m contacts of n balls.

    cluster: (n,), a record of `CLUSTER_FIELDS` each, by the number of one of its balls; link: (m,),
    of `LINK_FIELDS`; of_degree: (m + 1,), the newest link of each degree, or NO_INDEX.
    """

    cluster: Records
    link: Records
    of_degree: npt.NDArray[np.int32]


def order_workspace(m: int, n: int) -> OrderWorkspace:
    """A workspace for m contacts of n balls."""
    return OrderWorkspace(
        cluster=np.zeros(n, CLUSTER_FIELDS).view(np.recarray),
        link=np.zeros(m, LINK_FIELDS).view(np.recarray),
        of_degree=np.zeros(m + 1, dtype=np.int32),
    )


@routine
def order_by_degree(rows: Records, workspace: OrderWorkspace, order: npt.NDArray[np.int32]) -> int:
    """Write the order of elimination of the rows with force; returns their number."""
    link, of_degree = workspace.link, workspace.of_degree
    size = end = _find_links(rows, workspace, order)
    for degree in range(len(rows) + 1):
        of_degree[degree] = NO_INDEX
    for e in range(len(rows)):
        if link[e].count > 0:
            _enter(workspace, e)
            end += 1
    least = 0
    while size < end:
        while of_degree[least] == NO_INDEX:
            least += 1
        size, least = _merge(workspace, of_degree[least], order, size, least)
    return size


@inlined
def _find_links(rows: Records, workspace: OrderWorkspace, order: npt.NDArray[np.int32]) -> int:
    """Make each ball a cluster, and each contact of two of them a link. Contacts with fixed bodies
    come first in the order, because they couple nothing anew; returns their number."""
    cluster, link, size = workspace.cluster, workspace.link, 0
    for c in range(len(rows)):
        for i in (rows[c].first, rows[c].second):
            cluster[i].head, cluster[i].outside, cluster[i].link = NO_INDEX, 0, NO_INDEX
    for c in range(len(rows)):
        row, new = rows[c], link[c]
        new.count = 0
        if row.force <= 0.0 or row.stiffness <= 0.0:
            continue
        if row.first == 0 or row.second == 0:
            order[size] = c
            size += 1
            continue
        new.first, new.second, new.count = row.first, row.second, 1
        new.last_contact, new.next_contact = c, NO_INDEX
        new.next_of_first, cluster[row.first].head = cluster[row.first].head, c
        new.next_of_second, cluster[row.second].head = cluster[row.second].head, c
        cluster[row.first].outside += 1
        cluster[row.second].outside += 1
    return size


@inlined
def _merge(
    workspace: OrderWorkspace, e: int, order: npt.NDArray[np.int32], size: int, least: int
) -> tuple[int, int]:
    """Merge the two clusters of link e, and eliminate the contacts between them; returns the number
    of eliminated contacts, and a lower bound of the degrees."""
    cluster, link = workspace.cluster, workspace.link
    kept, merged = link[e].first, link[e].second
    if cluster[kept].outside < cluster[merged].outside:
        kept, merged = merged, kept
    for k in (kept, merged):
        e = cluster[k].head
        cluster[k].head = NO_INDEX
        while e != NO_INDEX:
            after, other = _next_and_other(workspace, e, k)
            if link[e].count > 0 and other == merged:
                size = _eliminate(workspace, e, order, size)
            elif link[e].count > 0:
                _take_over(workspace, e, kept, other)
            e = after
    cluster[kept].outside += cluster[merged].outside
    # The degrees of all links of the new cluster have changed.
    e = cluster[kept].head
    while e != NO_INDEX:
        after, other = _next_and_other(workspace, e, kept)
        cluster[other].link = NO_INDEX
        _leave(workspace, e)
        _enter(workspace, e)
        least = min(least, link[e].degree)
        e = after
    return size, least


@inlined
def _next_and_other(workspace: OrderWorkspace, e: int, k: int) -> tuple[int, int]:
    """The link after e of cluster k, and the other cluster of e."""
    link = workspace.link[e]
    if link.first == k:
        return int(link.next_of_first), int(link.second)
    return int(link.next_of_second), int(link.first)


@inlined
def _take_over(workspace: OrderWorkspace, e: int, k: int, other: int) -> None:
    """Make link e one of cluster k with its other cluster; if k has such a link already, add the
    contacts to that."""
    link, cluster = workspace.link[e], workspace.cluster
    if cluster[other].link != NO_INDEX:
        _join(workspace, e, cluster[other].link)
        return
    if link.first == other:
        link.second, link.next_of_second = k, cluster[k].head
    else:
        link.first, link.next_of_first = k, cluster[k].head
    cluster[k].head = cluster[other].link = e


@inlined
def _join(workspace: OrderWorkspace, e: int, kept: int) -> None:
    """Add the contacts of link e to another link of the same clusters."""
    link = workspace.link
    _leave(workspace, e)
    link[link[kept].last_contact].next_contact = e
    link[kept].last_contact = link[e].last_contact
    link[kept].count += link[e].count
    link[e].count = 0


@inlined
def _eliminate(workspace: OrderWorkspace, e: int, order: npt.NDArray[np.int32], size: int) -> int:
    """Append the contacts of link e to the order; returns its new length."""
    cluster, link, c = workspace.cluster, workspace.link, e
    _leave(workspace, e)
    cluster[link[e].first].outside -= link[e].count
    cluster[link[e].second].outside -= link[e].count
    link[e].count = 0
    while c != NO_INDEX:
        order[size] = c
        size, c = size + 1, link[c].next_contact
    return size


@inlined
def _enter(workspace: OrderWorkspace, e: int) -> None:
    """Put link e at the head of the list of its degree. Of equal degrees the newest link is merged
    next: a factorisation takes half as many multiplications as with the oldest."""
    cluster, link, of_degree = workspace.cluster, workspace.link, workspace.of_degree
    new = link[e]
    new.degree = cluster[new.first].outside + cluster[new.second].outside - 2 * new.count
    new.before, new.after = NO_INDEX, of_degree[new.degree]
    if new.after != NO_INDEX:
        link[new.after].before = e
    of_degree[new.degree] = e


@inlined
def _leave(workspace: OrderWorkspace, e: int) -> None:
    """Remove link e from the list of its degree."""
    link = workspace.link
    old = link[e]
    if old.before == NO_INDEX:
        workspace.of_degree[old.degree] = old.after
    else:
        link[old.before].after = old.after
    if old.after != NO_INDEX:
        link[old.after].before = old.before
