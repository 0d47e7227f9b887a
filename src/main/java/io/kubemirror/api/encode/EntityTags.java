package io.kubemirror.api.encode;

import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.ResponseForm;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * Creates the entity tags of responses.
 *
 * <p>The tag of an object is derived from its bytes. The tag of a list is derived from everything
 * that determines its bytes: the format, the selection, the page, and the revision of the mirror. A
 * client that polls therefore costs neither the transfer nor the encoding. A revision identifies a
 * state only within one history of one process, so both are part of the tag. Tables have no tags,
 * because they contain ages that change with time.
 */
public final class EntityTags {

    private static final byte[] NOTHING = {};

    private final String process;

    /**
     * Creates entity tags.
     *
     * @param process distinguishes this process from others
     */
    public EntityTags(long process) {
        this.process = Long.toHexString(process);
    }

    /** Returns the tag of an object, null for none. */
    public @Nullable EntityTag of(ResponseForm shown, KubeObject object) {
        return shown.form().shape() == ResponseShape.TABLE
                ? null
                : EntityTag.of(object.json(), form(shown));
    }

    /**
     * Returns the current history of a mirror. Call this before reading the state of a response, so
     * that a state never gets the tag of a later history.
     */
    public static long history(Mirror mirror) {
        return mirror.position().map(position -> position.cursor().era()).orElse(-1L);
    }

    /**
     * Returns the tag of a list, null for none.
     *
     * @param history the history of the mirror before the list was read
     */
    public @Nullable EntityTag of(
            ResponseForm shown, CollectionRequest wanted, long history, ListPage page) {
        if (shown.form().shape() == ResponseShape.TABLE) {
            return null;
        }
        Selection selection = wanted.selection();
        ListOptions.PagingOptions paging = wanted.options().paging();
        return EntityTag.of(
                NOTHING,
                process,
                Long.toString(history),
                wanted.mirror().scope().toString(),
                form(shown),
                selection.namespace(),
                selection.labels().text(),
                selection.fields().text(),
                paging.token(),
                Long.toString(page.next() == null ? 0 : paging.limit()),
                page.revision().digits());
    }

    /** Returns everything about the format that affects the bytes. */
    private static String form(ResponseForm shown) {
        return String.join(
                "/",
                shown.type().apiVersion(),
                shown.type().kind(),
                shown.extent().name(),
                shown.form().shape().name(),
                shown.form().version(),
                shown.indented() ? "indented" : "compact");
    }
}
