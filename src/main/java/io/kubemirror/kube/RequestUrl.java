package io.kubemirror.kube;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Revision;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.ListRequest.RevisionMatch;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.WatchRequest;

import okhttp3.HttpUrl;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** The URL of a request for objects. */
final class RequestUrl {

    private RequestUrl() {}

    static HttpUrl of(ServerConnection server, ListRequest request) {
        HttpUrl.Builder url = collection(server, request.collection());
        add(url, "resourceVersion", digits(request.revision()));
        add(url, "resourceVersionMatch", request.match() == RevisionMatch.EXACT ? "Exact" : "");
        add(url, "limit", request.limit() > 0 ? Integer.toString(request.limit()) : "");
        add(url, "continue", request.continueToken() == null ? "" : request.continueToken());
        return url.build();
    }

    static HttpUrl of(ServerConnection server, WatchRequest request) {
        HttpUrl.Builder url = collection(server, request.collection());
        add(url, "watch", "true");
        add(url, "allowWatchBookmarks", request.bookmarks() ? "true" : "");
        add(url, "bookmarkIntervalSeconds", seconds(request.bookmarkInterval()));
        add(url, "timeoutSeconds", Long.toString(request.timeout().toSeconds()));
        add(url, "resourceVersion", digits(request.revision()));
        add(url, "sendInitialEvents", request.initialEvents() ? "true" : "");
        add(url, "resourceVersionMatch", request.initialEvents() ? "NotOlderThan" : "");
        return url.build();
    }

    private static HttpUrl.Builder collection(
            ServerConnection server, ResourceCollection collection) {
        HttpUrl.Builder url = server.url(collection.path());
        LabelSelector labels = collection.selection().labels();
        FieldSelector fields = collection.selection().fields();
        add(url, "labelSelector", labels.isEverything() ? "" : labels.text());
        add(url, "fieldSelector", fields.isEverything() ? "" : fields.text());
        return url;
    }

    private static String seconds(Duration interval) {
        return interval.isZero() ? "" : Long.toString(interval.toSeconds());
    }

    private static String digits(@Nullable Revision revision) {
        return revision == null ? "" : revision.digits();
    }

    /** Adds a parameter, unless it is empty. */
    private static void add(HttpUrl.Builder url, String name, String value) {
        if (!value.isEmpty()) {
            url.addQueryParameter(name, value);
        }
    }
}
