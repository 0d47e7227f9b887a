package io.kubemirror.feature.disk;

import io.kubemirror.feature.disk.UntrustedStoreException.Reason;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The first record of a file: what it belongs to. It is not encrypted.
 *
 * @param owner what has to be the same for another process to use the file
 * @param type the type of the objects
 * @param declared the fields that the definition of the type declares
 */
record StoreHeader(Owner owner, ResourceType type, DeclaredFields declared) {

    /**
     * What a file belongs to.
     *
     * @param version the version of kubemirror: another one may read other values of an object
     * @param server the server that the objects come from
     * @param settings the scope of the mirror, and what it reads of each object
     * @param key the name of the key that the records are encrypted with, empty for none
     */
    record Owner(String version, String server, String settings, String key) {

        /** Checks that this process may use a file of another owner. */
        void check(Owner stored) throws UntrustedStoreException {
            check(version.equals(stored.version), Reason.VERSION, "another version of kubemirror");
            check(server.equals(stored.server), Reason.SERVER, "another server");
            check(settings.equals(stored.settings), Reason.CONFIGURATION, "other settings");
            check(key.equals(stored.key), Reason.KEY, "another key");
        }

        private static void check(boolean same, Reason reason, String difference)
                throws UntrustedStoreException {
            if (!same) {
                throw new UntrustedStoreException(reason, "it was stored by " + difference);
            }
        }
    }

    void write(RecordBuffer to) {
        to.text(owner.version).text(owner.server).text(owner.settings).text(owner.key);
        to.text(type.group()).text(type.version()).text(type.kind()).text(type.plural());
        to.text(type.singular()).octet(type.namespaced() ? 1 : 0);
        texts(to, type.shortNames());
        texts(to, type.categories());
        to.number(declared.fields().size());
        for (SelectableField field : declared.fields()) {
            to.text(field.label()).text(field.fallback()).number(field.sources().size());
            field.sources().forEach(source -> texts(to, source.segments()));
        }
        to.text(declared.problem());
    }

    private static void texts(RecordBuffer to, List<String> texts) {
        to.number(texts.size());
        texts.forEach(to::text);
    }

    static StoreHeader read(RecordParser from) {
        Owner owner = new Owner(from.text(), from.text(), from.text(), from.text());
        ResourceType type =
                new ResourceType(
                        from.text(),
                        from.text(),
                        from.text(),
                        from.text(),
                        from.text(),
                        from.octet() != 0,
                        texts(from),
                        texts(from));
        List<SelectableField> fields =
                IntStream.range(0, from.length()).mapToObj(_ -> field(from)).toList();
        return new StoreHeader(owner, type, new DeclaredFields(fields, from.text()));
    }

    private static SelectableField field(RecordParser from) {
        String label = from.text();
        String fallback = from.text();
        List<FieldPath> sources =
                IntStream.range(0, from.length())
                        .mapToObj(_ -> new FieldPath(texts(from)))
                        .toList();
        return new SelectableField(label, sources, fallback);
    }

    private static List<String> texts(RecordParser from) {
        return IntStream.range(0, from.length()).mapToObj(_ -> from.text()).toList();
    }
}
