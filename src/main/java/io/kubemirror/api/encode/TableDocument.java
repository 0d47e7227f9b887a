package io.kubemirror.api.encode;

import io.kubemirror.api.http.JsonDocument;
import io.kubemirror.model.KubeObject;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A list as a table (list-watch.md#ne-23).
 *
 * @param table writes the table
 * @param page the objects
 */
record TableDocument(TableWriter table, ListPage page) implements JsonDocument {

    @Override
    public void write(OutputStream out) throws IOException {
        table.open(ListMeta.of(page), true, out);
        boolean first = true;
        for (KubeObject object : page.objects()) {
            if (!first) {
                out.write(',');
            }
            first = false;
            table.row(object, out);
        }
        table.close(out);
        out.write('\n');
    }
}
