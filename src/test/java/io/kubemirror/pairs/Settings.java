package io.kubemirror.pairs;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.Unchecked;

/**
 * The configuration of a row.
 *
 * @param row a complete row
 * @param directory the directory of the row, which has {@code config} and the certificate
 * @param namespaces the two namespaces of the row
 * @param etcd the URL of etcd
 */
record Settings(Row row, Path directory, List<String> namespaces, String etcd) {

    /** Whether the configuration accepts the choices of a row so far. */
    static boolean permits(Row row) {
        boolean partial =
                Stream.of(Factor.KEEP, Factor.DROP, Factor.METADATA_ONLY).anyMatch(row::isSpecial);
        boolean etcd = row.is(Factor.SOURCE, "etcd");
        boolean demand = row.isSpecial(Factor.DEMAND);
        return !(row.isSpecial(Factor.READS) && (partial || etcd))
                && !(demand && (etcd || row.is(Factor.PASS_THROUGH, "off")))
                // The API server would show what is left out.
                && !(partial && row.is(Factor.PASS_THROUGH, "own"));
    }

    /** The settings that stay. */
    String[] lines() {
        List<String> lines =
                new ArrayList<>(
                        List.of(
                                "spring.config.additional-location=file:" + directory + "/",
                                "kubemirror.upstream.server=",
                                "kubemirror.upstream.kubeconfig=" + directory.resolve("config"),
                                "kubemirror.upstream.retry.base-delay=20ms",
                                "kubemirror.upstream.retry.max-delay=200ms",
                                "kubemirror.shutdown.watch-spread=0s",
                                // Must not hide a connection that nobody closes.
                                "server.jetty.connection-idle-timeout=1h",
                                "kubemirror.allow-secrets=true"));
        if (row.is(Factor.ACCESS, "review")) {
            lines.add("kubemirror.access.authentication=token-review");
        }
        lines.add("kubemirror.pass-through.mode=" + row.choice(Factor.PASS_THROUGH));
        if (row.isSpecial(Factor.PERSISTENCE)) {
            lines.add("kubemirror.persistence.directory=" + store());
        }
        lines.add("server.http2.enabled=" + row.isSpecial(Factor.HTTP2));
        if (row.isSpecial(Factor.TLS)) {
            String bundle = "spring.ssl.bundle.pem.own.keystore.";
            lines.add("server.ssl.bundle=own");
            lines.add(bundle + "certificate=file:" + directory.resolve("own.crt"));
            lines.add(bundle + "private-key=file:" + directory.resolve("own.key"));
        }
        if (row.is(Factor.SOURCE, "etcd")) {
            lines.add("kubemirror.upstream.etcd.endpoints=" + etcd);
            lines.add("kubemirror.upstream.etcd.acknowledge-no-authorization=true");
        }
        if (row.isSpecial(Factor.MEMORY)) {
            lines.add("kubemirror.memory.limit=16MB");
        }
        return lines.toArray(String[]::new);
    }

    Path store() {
        return directory.resolve("store");
    }

    /** Writes the configuration file. */
    void write() {
        String resources =
                PairedTypes.ALL.stream().map(this::resource).collect(Collectors.joining(", "));
        String yaml =
                "{\"kubemirror\": {\"history\": {\"max-events\": 6000}, \"resources\": [%s]}}"
                        .formatted(resources);
        Unchecked.run(() -> Files.writeString(directory.resolve("application.yaml"), yaml));
    }

    private String resource(ResourceType type) {
        List<String> members = new ArrayList<>();
        boolean etcd = row.is(Factor.SOURCE, "etcd") && type.equals(PairedTypes.VAULTS);
        boolean custom = type.equals(PairedTypes.VAULTS);
        // The other version is the preferred one.
        member(members, "resource", custom ? "vaults.v1.pairs.example.com" : type.plural());
        if (etcd) {
            members.add(
                    "\"etcd\": {\"prefix\": \"/registry/pairs.example.com/vaults/\","
                            + " \"kind\": \"Vault\"}");
        }
        member(members, "reads", row.choice(Factor.READS));
        member(members, "start", row.choice(Factor.DEMAND));
        if (row.isSpecial(Factor.NAMESPACES)) {
            list(members, "namespaces", namespaces);
        }
        members.add("\"metadata-only\": " + row.isSpecial(Factor.METADATA_ONLY));
        if (row.isSpecial(Factor.KEEP)) {
            List<String> kept = new ArrayList<>(paths(type, "kept"));
            kept.addAll(paths(type, "shown"));
            kept.add("metadata.labels");
            list(members, "keep-fields", kept);
        }
        if (row.isSpecial(Factor.DROP)) {
            list(members, "drop-fields", paths(type, "dropped"));
        }
        return members.stream().collect(Collectors.joining(", ", "{", "}"));
    }

    /** The paths of a value, that in the metadata first. */
    private static List<String> paths(ResourceType type, String part) {
        return Stream.concat(
                        Stream.of(
                                "metadata.annotations['%s%s']"
                                        .formatted(PairedTypes.ANNOTATION, part)),
                        PairedTypes.members(type).stream().map(member -> member + "." + part))
                .toList();
    }

    private static void member(List<String> members, String name, String value) {
        members.add("\"%s\": \"%s\"".formatted(name, value));
    }

    private static void list(List<String> members, String name, List<String> values) {
        String listed =
                values.stream().map(one -> "\"" + one + "\"").collect(Collectors.joining(", "));
        members.add("\"%s\": [%s]".formatted(name, listed));
    }
}
