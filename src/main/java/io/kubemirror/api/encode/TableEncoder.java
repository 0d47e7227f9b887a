package io.kubemirror.api.encode;

import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes each object as a table with one row. Only the first table contains the column definitions
 * (list-watch.md#ne-23, #ne-27).
 *
 * <p>For use by one watch or one get. Rejected: sharing the output between watches. It would
 * contain the age of the object at the time of the first write, and few clients request tables.
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
