package io.kubemirror.api.http;

import io.kubemirror.model.GoString;
import io.kubemirror.model.Revision;

/** The {@code resourceVersion} parameter of a request. */
public final class RevisionParameter {

    private static final Revision LARGEST_64_BIT = new Revision("18446744073709551615");

    private RevisionParameter() {}

    /**
     * Parses a revision. Leading zeros are allowed (list-watch.md#de-4, #de-5).
     *
     * <p>Like current API servers, kubemirror refuses values that exceed 64 bits as long as the
     * collection's own revision does not. The API conventions allow longer ones (KEP-5504).
     *
     * @param text the parameter, not empty
     * @param current the revision of the collection
     * @throws Rejection if the text is not a revision
     */
    public static Revision parse(String text, Revision current) throws Rejection {
        if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw invalid(text, "invalid syntax");
        }
        String digits = text.replaceFirst("^0+(?!$)", "");
        Revision revision = new Revision(digits);
        if (revision.isAfter(LARGEST_64_BIT) && !current.isAfter(LARGEST_64_BIT)) {
            throw invalid(text, "value out of range");
        }
        return revision;
    }

    private static Rejection invalid(String text, String why) {
        String quoted = GoString.quote(text);
        return new Rejection(
                StatusErrors.badRequest(
                        "invalid resource version: resourceVersion: Invalid value: "
                                + quoted
                                + ": strconv.ParseUint: parsing "
                                + quoted
                                + ": "
                                + why));
    }
}
