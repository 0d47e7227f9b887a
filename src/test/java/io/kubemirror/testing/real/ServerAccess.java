package io.kubemirror.testing.real;

import module java.base;

/**
 * The files with the users and permissions of a real API server.
 *
 * <p>A kube-apiserver reads them when it starts. There is an administrator and one other user, who
 * is unknown at first and may only read discovery.
 */
public final class ServerAccess {

    /** The administrator's token. */
    public static final String TOKEN = "test-ground";

    /** The user's name. */
    public static final String USER = "mirror";

    private static final String ADMINISTRATOR = TOKEN + ",admin,admin,\"system:masters\"";

    private final Path tokens;
    private final Path policy;
    private final Path authorities;

    /** Writes the files into an empty directory. */
    public ServerAccess(Path directory) {
        tokens = directory.resolve("tokens.csv");
        policy = directory.resolve("policy.jsonl");
        authorities = directory.resolve("clients.crt");
        knowTokens();
        permitReading();
    }

    /** The flags that name the files. */
    List<String> flags() {
        return List.of(
                "--anonymous-auth=false",
                "--token-auth-file=" + tokens,
                "--client-ca-file=" + authorities,
                "--authorization-mode=ABAC",
                "--authorization-policy-file=" + policy);
    }

    /** Sets the tokens of the user. */
    public void knowTokens(String... values) {
        Stream<String> users = Arrays.stream(values).map(token -> token + "," + USER + "," + USER);
        write(tokens, Stream.concat(Stream.of(ADMINISTRATOR), users));
    }

    /**
     * Sets all users but the administrator.
     *
     * @param lines of the form {@code token,name,uid,"group,group"}
     */
    public void knowUsers(List<String> lines) {
        write(tokens, Stream.concat(Stream.of(ADMINISTRATOR), lines.stream()));
    }

    /**
     * Sets all permissions of these users.
     *
     * @param specs of policies, as JSON
     */
    public void permit(List<String> specs) {
        write(
                policy,
                specs.stream()
                        .map(
                                """
                                {"apiVersion":"abac.authorization.kubernetes.io/v1beta1",\
                                "kind":"Policy","spec":%s}\
                                """
                                        ::formatted));
    }

    /** Accepts client certificates, each for the user that its subject names. */
    public void knowCertificates(String... pems) {
        write(authorities, Arrays.stream(pems));
    }

    /** Permits the user to read in these namespaces; {@code *} means all. */
    public void permitReading(String... namespaces) {
        Stream<String> collections =
                Arrays.stream(namespaces)
                        .map(
                                "\"namespace\":\"%s\",\"resource\":\"*\",\"apiGroup\":\"*\""
                                        ::formatted);
        write(
                policy,
                Stream.concat(Stream.of("\"nonResourcePath\":\"*\""), collections)
                        .map(ServerAccess::policy));
    }

    /** Removes all permissions of the user. */
    public void permitNothing() {
        write(policy, Stream.empty());
    }

    private static String policy(String what) {
        return "{\"apiVersion\":\"abac.authorization.kubernetes.io/v1beta1\",\"kind\":\"Policy\","
                + "\"spec\":{\"user\":\""
                + USER
                + "\",\"readonly\":true,"
                + what
                + "}}";
    }

    /** Replaces the file atomically, because the server may read it at any moment. */
    private static void write(Path file, Stream<String> lines) {
        try {
            Path next = Files.createTempFile(file.getParent(), "next", "");
            Files.writeString(next, lines.collect(Collectors.joining("\n", "", "\n")));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
