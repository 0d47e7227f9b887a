package io.kubemirror.parity;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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

    RawRequest last() {
        return requests.getLast();
    }

    ParityCase withId(String changed) {
        return new ParityCase(changed, requests, difference);
    }

    /** The same with a header line in every request. */
    ParityCase with(String header) {
        List<RawRequest> changed = requests.stream().map(request -> request.with(header)).toList();
        return new ParityCase(id, changed, difference);
    }

    /** The same with {@code Accept} in every request. */
    ParityCase accepting(String accept) {
        return with("Accept: " + accept);
    }

    /** The same with one more request after the others. */
    ParityCase then(String target) {
        List<RawRequest> more = new ArrayList<>(requests);
        more.add(new RawRequest(last().method(), target, last().headers()));
        return new ParityCase(id, more, difference);
    }

    /** Returns a copy with an intended difference. */
    ParityCase but(Difference meant) {
        return new ParityCase(id, requests, Optional.of(meant));
    }

    @Override
    public String toString() {
        return id + " " + requests.stream().map(RawRequest::text).toList();
    }
}
