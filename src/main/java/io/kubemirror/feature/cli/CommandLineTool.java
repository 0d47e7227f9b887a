package io.kubemirror.feature.cli;

import module java.base;

import io.kubemirror.kube.EditDistance;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line (command-line.md): all words that start no server.
 *
 * <p>Its options are parsed by picocli, of which the start of the server loads an annotation at
 * most.
 */
@Command(
        name = "kubemirror",
        mixinStandardHelpOptions = true,
        description = "Mirrors Kubernetes resources and serves the Kubernetes read API.",
        customSynopsis = "kubemirror [--PROPERTY=VALUE ...] | COMMAND",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, or stopped",
            "1:kubemirror cannot start",
            "2:unknown word or option"
        },
        sortOptions = false)
public final class CommandLineTool {

    /** The exit code of an unknown word or option. */
    static final int USAGE = 2;

    /** Sets a property, so that another argument is the mistake if there is another. */
    private static final Pattern PROPERTY = Pattern.compile("--[^=]*[.][^=]*=.*", Pattern.DOTALL);

    private static final String EXAMPLE =
            """

            Without a command, kubemirror serves until it is stopped. PROPERTY is one of its
            configuration, for example:
              kubemirror --kubemirror.resources=pods,deployments.apps
            Write "java -jar kubemirror.jar" or "docker run IMAGE" for kubemirror.
            """;

    private CommandLineTool() {}

    /**
     * Runs a command.
     *
     * @param further commands beside those of this package
     * @return the exit code
     */
    public static int run(
            List<String> arguments, PrintWriter out, PrintWriter err, Object... further) {
        CommandLine command = commands(further).setOut(out).setErr(err);
        return command.execute(arguments.toArray(String[]::new));
    }

    private static CommandLine commands(Object... further) {
        CommandLine command = new CommandLine(new CommandLineTool());
        Arrays.stream(further).forEach(command::addSubcommand);
        command.addSubcommand(new DiagnoseCommand())
                .addSubcommand(new VersionCommand())
                .addSubcommand(new HelpCommand())
                .setCaseInsensitiveEnumValuesAllowed(true);
        String version = version();
        Stream.concat(Stream.of(command), command.getSubcommands().values().stream())
                .forEach(one -> one.getCommandSpec().version(version));
        command.getCommandSpec().usageMessage().footer(EXAMPLE.lines().toArray(String[]::new));
        command.setParameterExceptionHandler(
                (mistake, _) -> {
                    CommandLine wrong = mistake.getCommandLine();
                    String name = wrong.getCommandSpec().qualifiedName();
                    wrong.getErr().println(name + ": " + problem(mistake));
                    return USAGE;
                });
        return command;
    }

    /** The word for the option {@code --version}. */
    @Command(name = "version", description = "Prints version information.")
    private static final class VersionCommand implements Runnable {

        @Spec private @Nullable CommandSpec spec;

        @Override
        public void run() {
            CommandLine line = Objects.requireNonNull(spec).commandLine();
            line.printVersionHelp(line.getOut());
        }
    }

    /** One line that says what is wrong, and what is meant or where to look. */
    private static String problem(ParameterException mistake) {
        CommandLine at = mistake.getCommandLine();
        String help = "see '" + at.getCommandSpec().qualifiedName() + " --help'";
        if (!(mistake instanceof CommandLine.UnmatchedArgumentException unmatched)) {
            String message = String.valueOf(mistake.getMessage());
            return message.contains("; ") ? message : message + "; " + help;
        }
        String word = wrong(unmatched.getUnmatched());
        boolean option = word.startsWith("-");
        if (option && word.contains(".") && !word.contains("=")) {
            return "%1$s has no value; write %1$s=VALUE".formatted(word);
        }
        Set<String> known =
                option ? at.getCommandSpec().optionsMap().keySet() : at.getSubcommands().keySet();
        String written = word.replaceFirst("=.*", "");
        return (option ? "unknown option '" : "unknown word '")
                + written
                + "'; "
                + EditDistance.nearest(written, known)
                        .map(near -> "did you mean '" + near + "'?")
                        .orElse(help);
    }

    private static String wrong(List<String> words) {
        return words.stream()
                .filter(word -> !PROPERTY.matcher(word).matches())
                .findFirst()
                .orElse(words.getFirst());
    }

    /** Reads version and revision from the jar. */
    private static String version() {
        ClassPathResource info = new ClassPathResource("META-INF/build-info.properties");
        try {
            Properties build =
                    info.exists() ? PropertiesLoaderUtils.loadProperties(info) : new Properties();
            return "kubemirror %s (revision %s), Java %s"
                    .formatted(
                            build.getProperty("build.version", "unknown"),
                            build.getProperty("build.revision", "unknown"),
                            Runtime.version());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
