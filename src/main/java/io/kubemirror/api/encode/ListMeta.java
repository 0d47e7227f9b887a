package io.kubemirror.api.encode;

import io.kubemirror.api.http.ContinueToken;

import java.util.ArrayList;
import java.util.List;

/** Formats the {@code metadata} of a list (list-watch.md#en-5, #co-5). */
final class ListMeta {

    private ListMeta() {}

    /** Returns the member in the form that the API server uses for built-in types. */
    static String of(ListPage page) {
        List<String> members = new ArrayList<>();
        members.add(revision(page));
        members.addAll(paging(page));
        return member(members);
    }

    /** Returns the member in the form that the API server uses for custom resources. */
    static String ofCustom(ListPage page) {
        List<String> members = paging(page);
        members.add(revision(page));
        return member(members);
    }

    private static String revision(ListPage page) {
        return "\"resourceVersion\":\"" + page.revision() + "\"";
    }

    private static List<String> paging(ListPage page) {
        List<String> members = new ArrayList<>();
        ContinueToken next = page.next();
        if (next != null) {
            members.add("\"continue\":\"" + next.encode() + "\"");
        }
        if (page.remaining() > 0) {
            members.add("\"remainingItemCount\":" + page.remaining());
        }
        return members;
    }

    private static String member(List<String> members) {
        return "\"metadata\":{" + String.join(",", members) + "}";
    }
}
