package io.kubemirror.feature.disk;

import static io.kubemirror.feature.disk.StoreFile.UntrustedStoreException.require;

import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException;
import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException.Reason;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableField;
import io.kubemirror.model.SelectableFields.DeclaredFields;

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
    record Owner(String version, String server, String settings, String key) {}

    /** Checks that the content of the file is that of an empty mirror of an owner. */
    void check(Owner present, Mirror mirror) throws UntrustedStoreException {
        String by = "it was stored by another ";
        require(
                present.version.equals(owner.version),
                Reason.VERSION,
                by + "version of kubemirror");
        require(present.server.equals(owner.server), Reason.SERVER, by + "server");
        require(
                present.settings.equals(owner.settings),
                Reason.CONFIGURATION,
                by + "configuration");
        require(present.key.equals(owner.key), Reason.KEY, by + "key");
        // The type of a mirror on demand is known before it is filled.
        boolean same = mirror.declaredFields().fields().equals(declared.fields());
        require(
                mirror.type().map(known -> same && known.equals(type)).orElse(true),
                Reason.SERVER,
                "the type is another one now");
    }

    void write(Payload to) {
        to.text(owner.version).text(owner.server).text(owner.settings).text(owner.key);
        to.text(type.group()).text(type.version()).text(type.kind()).text(type.plural());
        to.text(type.singular()).octet(type.namespaced() ? 1 : 0);
        to.list(type.shortNames(), to::text).list(type.categories(), to::text);
        to.list(
                declared.fields(),
                field ->
                        to.text(field.label())
                                .list(
                                        field.sources(),
                                        source -> to.list(source.segments(), to::text))
                                .text(field.fallback()));
        to.text(declared.problem());
    }

    static StoreHeader read(Payload from) {
        return new StoreHeader(
                new Owner(from.text(), from.text(), from.text(), from.text()),
                new ResourceType(
                        from.text(),
                        from.text(),
                        from.text(),
                        from.text(),
                        from.text(),
                        from.octet() != 0,
                        from.list(from::text),
                        from.list(from::text)),
                new DeclaredFields(from.list(() -> field(from)), from.text()));
    }

    private static SelectableField field(Payload from) {
        return new SelectableField(
                from.text(), from.list(() -> new FieldPath(from.list(from::text))), from.text());
    }
}
