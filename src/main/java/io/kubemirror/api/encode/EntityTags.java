package io.kubemirror.api.encode;

import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.ResponseForm;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * The tags of what is answered.
 *
 * <p>That of an object is drawn from its bytes. That of a list is drawn from everything that its
 * bytes follow from, so that a client which polls costs neither the bytes nor their making: the
 * form, the selection, the page, and the mirror's revision. One revision stands for one state only
 * within one history of one process, so both are part of it. Tables have none, since the ages in
 * them change with the time.
 */
public final class EntityTags {

    private static final byte[] NOTHING = {};

    private final String process;

    /**
     * Tags.
     *
     * @param process tells this process from others
     */
    public EntityTags(long process) {
        this.process = Long.toHexString(process);
    }

    /** The tag of an object, null for none. */
    public @Nullable EntityTag of(ResponseForm shown, KubeObject object) {
        return shown.form().shape() == ResponseShape.TABLE
                ? null
                : EntityTag.of(object.json(), form(shown));
    }

    /**
     * The history that a mirror is in; to be asked before the state that is answered with, so that
     * a state never gets the tag of a later history.
     */
    public static long history(Mirror mirror) {
        return mirror.position().map(position -> position.cursor().era()).orElse(-1L);
    }

    /**
     * The tag of a list, null for none.
     *
     * @param history the history that the mirror was in before the list was read
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

    /** Everything about the form that shows in the bytes. */
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
