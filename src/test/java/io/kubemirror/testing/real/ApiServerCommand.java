package io.kubemirror.testing.real;

import module java.base;

import io.kubemirror.testing.Unchecked;

/**
 * The command line of a kube-apiserver: over plain HTTP if the binary supports it, otherwise over
 * TLS with a self-signed certificate and a token.
 *
 * @param command the executable and its flags
 * @param token the bearer token of an administrator, empty if none is needed
 */
record ApiServerCommand(List<String> command, String token) {

    private static final String GATES = "--feature-gates=";

    ApiServerCommand {
        command = List.copyOf(command);
    }

    /**
     * Writes the files that the command names, and returns the command.
     *
     * @param secure whether to serve over TLS, which servers since 1.24 require
     */
    static ApiServerCommand of(
            ServerBinaries serverBinaries,
            Path directory,
            ServerPorts ports,
            boolean secure,
            List<String> flags) {
        List<String> command = new ArrayList<>();
        command.add(serverBinaries.apiServer().toString());
        command.add("--etcd-servers=" + ports.etcd());
        command.add("--bind-address=127.0.0.1");
        command.add("--cert-dir=" + directory.resolve("certificates"));
        command.add("--secure-port=" + ports.securePort());
        if (secure) {
            command.addAll(credentials(directory));
        } else {
            command.add("--insecure-port=" + ports.plainPort());
        }
        command.removeIf(flag -> flags.stream().anyMatch(given -> name(given).equals(name(flag))));
        flags.forEach(flag -> command.add(known(serverBinaries, flag)));
        return new ApiServerCommand(command, secure ? ServerAccess.TOKEN : "");
    }

    /** A flag's name; what is given replaces what is usual, which some flags would add to. */
    private static String name(String flag) {
        return flag.replaceFirst("=.*", "");
    }

    /** Whether the binary can serve plain HTTP. */
    static boolean servesPlainHttp(ServerBinaries serverBinaries) {
        return help(serverBinaries).contains("--insecure-port");
    }

    /** The flag without the feature gates that the version of the binary does not have. */
    private static String known(ServerBinaries serverBinaries, String flag) {
        if (!flag.startsWith(GATES)) {
            return flag;
        }
        String help = help(serverBinaries);
        return Stream.of(flag.substring(GATES.length()).split(","))
                .filter(gate -> help.contains(":" + gate.replaceFirst("=.*", "=")))
                .collect(Collectors.joining(",", GATES, ""));
    }

    private static String help(ServerBinaries serverBinaries) {
        return ServerProcess.output(serverBinaries.apiServer().toString(), "--help");
    }

    private static List<String> credentials(Path directory) {
        KeyPair pair = keyPair();
        Path signing = write(directory, "sa.key", pem("PRIVATE KEY", pair.getPrivate()));
        Path checking = write(directory, "sa.pub", pem("PUBLIC KEY", pair.getPublic()));
        Path tokens =
                write(
                        directory,
                        "tokens.csv",
                        ServerAccess.TOKEN + ",admin,admin,\"system:masters\"\n");
        return List.of(
                "--service-account-signing-key-file=" + signing,
                "--service-account-key-file=" + checking,
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-cluster-ip-range=10.0.0.0/24",
                "--disable-admission-plugins=ServiceAccount",
                "--authorization-mode=RBAC",
                // It would write a lease every ten seconds, with a revision of its own.
                "--endpoint-reconciler-type=none",
                "--token-auth-file=" + tokens);
    }

    private static KeyPair keyPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String label, Key key) {
        Base64.Encoder encoder =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
                .formatted(label, encoder.encodeToString(key.getEncoded()), label);
    }

    private static Path write(Path directory, String name, String content) {
        return Unchecked.call(() -> Files.writeString(directory.resolve(name), content));
    }
}
