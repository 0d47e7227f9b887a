package io.kubemirror.parity;

import module java.base;

/**
 * A case: requests that are sent to both servers.
 *
 * @param id the id of the rule and, if it has several cases, the number among them
 * @param requests the requests in order; {@code {token}} is the token in the previous response
 * @param difference the intended difference of kubemirror's last response, if any
 */
record ParityCase(String id, List<RawRequest> requests, Optional<Difference> difference) {

    ParityCase {
        requests = List.copyOf(requests);
    }

    /** The same with the difference from a server, if there is any. */
    ParityCase at(boolean whole, int minor) {
        return new ParityCase(
                id,
                requests,
                difference.filter(it -> IntendedDifferences.appliesTo(it, whole, minor)));
    }

    RawRequest last() {
        return requests.getLast();
    }

    @Override
    public String toString() {
        return id + " " + requests.stream().map(RawRequest::text).toList();
    }
}
