package io.kubemirror.programs;

import module java.base;

import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.NodeScripts;

/** What runs a program of {@code src/test/programs}, and the setting that its users change. */
enum Tool {
    KUBECTL("SERVER", "`--server http://127.0.0.1:8001`") {
        @Override
        List<String> command(Path file) {
            ExternalProgram.KUBECTL.demand();
            return List.of("/bin/sh", "-e", fileName(file));
        }
    },
    GO("KUBECONFIG") {
        @Override
        List<String> command(Path file) {
            Path built = BINARIES.resolve("controller").toAbsolutePath();
            ExternalProgram.demand(built);
            return List.of(built.toString());
        }
    },
    PYTHON("KUBECONFIG") {
        @Override
        List<String> command(Path file) {
            ExternalProgram.demand(Path.of("/usr/lib/python3/dist-packages/kubernetes"));
            return List.of("/usr/bin/python3", fileName(file));
        }
    },
    NODE("KUBECONFIG") {
        @Override
        List<String> command(Path file) {
            ExternalProgram.NODE.demand();
            ExternalProgram.NPM.demand();
            Path script = NodeScripts.installed().resolve(file.getFileName());
            return List.of("node", script.toAbsolutePath().toString());
        }
    },
    FABRIC8("KUBERNETES_MASTER") {
        @Override
        List<String> command(Path file) {
            return java(file);
        }
    },
    JAVA("KUBECONFIG") {
        @Override
        List<String> command(Path file) {
            return java(file);
        }
    },
    ANSIBLE("K8S_AUTH_KUBECONFIG") {
        @Override
        List<String> command(Path file) {
            Path playbook = Path.of("/usr/bin/ansible-playbook");
            ExternalProgram.demand(playbook);
            return List.of(playbook.toString(), "-i", "localhost,", fileName(file));
        }
    },
    PROMETHEUS("SERVER", "`api_server: http://127.0.0.1:8001` in `kubernetes_sd_configs`") {
        @Override
        List<String> command(Path file) {
            Path binary = BINARIES.resolve("prometheus").toAbsolutePath();
            ExternalProgram.demand(binary);
            return List.of("/usr/bin/python3", fileName(file), binary.toString());
        }
    };

    /** What {@code src/test/programs/install} has made. */
    private static final Path BINARIES = Path.of("target", "programs", "bin");

    /** Libraries warn of a slow machine, which is no difference between two runs. */
    private static final Path LOGGING = Path.of("src", "test", "programs", "logging.properties");

    private final String variable;
    private final String setting;

    Tool(String variable) {
        this(variable, "`" + variable + "=" + value(variable, "http://127.0.0.1:8001") + "`");
    }

    Tool(String variable, String setting) {
        this.variable = variable;
        this.setting = setting;
    }

    /** A kubeconfig where the variable names one, or the address itself. */
    private static String value(String variable, String address) {
        return variable.endsWith("KUBECONFIG") ? "kubeconfig.yaml" : address;
    }

    /** The environment variable that leads the program to an API server, and its value. */
    Map<String, String> environment(URI url) {
        return Map.of(variable, value(variable, url.toString()));
    }

    /** The setting, as Markdown. */
    String setting() {
        return setting;
    }

    /** The command that runs a program in the directory of its file, or skips the test. */
    abstract List<String> command(Path file);

    private static String fileName(Path file) {
        return file.getFileName().toString();
    }

    /** A JVM that compiles the file, with its libraries and no warnings about them. */
    private static List<String> java(Path file) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dslf4j.internal.verbosity=ERROR",
                "-Djava.util.logging.config.file=" + LOGGING.toAbsolutePath(),
                "-cp",
                JavaLibraries.installed(file.getName(0).toString()) + "/*",
                file.subpath(1, file.getNameCount()).toString());
    }
}
