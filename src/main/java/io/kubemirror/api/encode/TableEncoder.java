package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Each object as a table of one row, the first of which says what the columns are
 * (list-watch.md#ne-23, #ne-27).
 *
 * <p>For one watch or one get. Rejected: sharing what was written with other watches. It would say
 * how old the object was when the first of them got it, and tables are for the few who look on.
 */
final class TableEncoder implements ObjectEncoder {

    private final TableWriter table;
    private boolean begun;

    TableEncoder(TableWriter table) {
        this.table = table;
    }

    @Override
    public void write(KubeObject object, OutputStream out) throws IOException {
        String revision = object.revision().digits();
        table.open("\"metadata\":{\"resourceVersion\":\"" + revision + "\"}", !begun, out);
        begun = true;
        if (BookmarkObject.is(object)) {
            table.bookmark(object, out);
        } else {
            table.row(object, out);
        }
        table.close(out);
    }

    @Override
    public boolean isShared() {
        return false;
    }
}
