package io.kubemirror.app;

import module java.base;

import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.ConfigurationFiles;
import io.kubemirror.app.config.EffectiveConfiguration;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplication.AbandonedRunException;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The commands that read the configuration as a start does, but start nothing (command-line.md).
 * They are the start itself, which they abandon, so they accept and print what it does.
 */
public final class ConfigurationCommands {

    private static final int VALID = 0;
    private static final int INVALID = 1;

    /** What a start logs below a warning, and where, is not what these commands print. */
    private static final Map<String, Object> LOGS =
            Map.of(
                    "logging.level.root", "warn",
                    "logging.level.io.kubemirror", "warn",
                    "logging.pattern.console", "%msg%n",
                    "logging.structured.format.console", "",
                    "logging.file.name", "",
                    "logging.file.path", "");

    /** The name of the property source with the settings of a command itself. */
    private static final String OWN = "command";

    private ConfigurationCommands() {}

    /** Returns the commands, as picocli takes them. */
    public static Object[] all() {
        return List.of(new Check(), new Config()).stream()
                .map(
                        command ->
                                new CommandLine(command)
                                        .setUnmatchedOptionsArePositionalParams(true))
                .toArray();
    }

    /** The command {@code check}. */
    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Validates the configuration as a start does, and exits.")
    private static final class Check implements Callable<Integer> {

        /** A server that needs no credentials, in the place of what is configured. */
        private static final Map<String, Object> NOBODY =
                Map.of(
                        "kubemirror.upstream.server", "http://127.0.0.1:1",
                        "kubemirror.upstream.kubeconfig", "",
                        "kubemirror.upstream.context", "");

        @Mixin private Locations sources = new Locations();

        @Option(
                names = "--no-credentials",
                description =
                        "Do not look for a kubeconfig or a service account, for example in a"
                                + " build.")
        private boolean withoutCredentials;

        @Override
        public Integer call() {
            return sources.start(
                    withoutCredentials ? NOBODY : Map.of(),
                    (context, out) ->
                            context.registerBean(
                                    SmartInitializingSingleton.class,
                                    () ->
                                            () -> {
                                                report(context.getEnvironment(), out);
                                                throw new AbandonedRunException();
                                            }));
        }

        private static void report(ConfigurableEnvironment environment, PrintWriter out) {
            String files = String.join(", ", ConfigurationFiles.files(environment));
            out.println(
                    "The configuration is valid: "
                            + (files.isEmpty() ? "no configuration file was found" : files));
        }
    }

    /** The command {@code config}. */
    @Command(
            name = "config",
            mixinStandardHelpOptions = true,
            description = "Prints the effective configuration and where each value comes from.",
            footer = {"", "Passwords, tokens and keys are masked."})
    private static final class Config implements Callable<Integer> {

        @Mixin private Locations sources = new Locations();

        @Option(names = "--changed", description = "Leave out defaults.")
        private boolean changed;

        @Override
        public Integer call() {
            return sources.start(
                    Map.of(),
                    (context, out) -> {
                        ConfigurableEnvironment environment = context.getEnvironment();
                        BoundRecords properties = BoundRecords.bind(environment);
                        var _ = MirrorDefinition.all(properties);
                        environment.getPropertySources().remove(OWN);
                        out.print(
                                new EffectiveConfiguration(environment, properties).text(changed));
                        throw new AbandonedRunException();
                    });
        }
    }

    /** Ends the start where the command has what it needs. */
    private interface Ending {
        void in(GenericApplicationContext context, PrintWriter out);
    }

    /** The files and properties that both commands take, and what their help has in common. */
    @Command(
            optionListHeading = "%nOptions:%n",
            parameterListHeading = "%n",
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:the configuration is valid",
                "1:it is not; the line is that with which a start would end",
                "2:invalid options"
            })
    private static final class Locations {

        @Parameters(
                paramLabel = "FILE",
                arity = "0..*",
                description = {
                    "Configuration files in place of those that a start finds in . and ./config,"
                            + " the last one first.",
                    "Also --PROPERTY=VALUE, as for a start."
                })
        private List<String> arguments = new ArrayList<>();

        @Spec(Spec.Target.MIXEE)
        private @Nullable CommandSpec command;

        /** Runs a start up to its ending. */
        int start(Map<String, Object> settings, Ending ending) {
            PrintWriter out = Objects.requireNonNull(command).commandLine().getOut();
            SpringApplication application = application(settings, ending, out);
            String[] read = read();
            PrintStream output = System.out;
            try {
                // What is logged is not what is printed.
                System.setOut(System.err);
                application.run(read);
                throw new IllegalStateException("the start was not abandoned");
            } catch (AbandonedRunException _) {
                return VALID;
            } catch (RuntimeException _) {
                // Boot has reported it.
                return INVALID;
            } finally {
                System.setOut(output);
                out.flush();
            }
        }

        private static SpringApplication application(
                Map<String, Object> settings, Ending ending, PrintWriter out) {
            SpringApplication application = new SpringApplication(KubeMirrorApplication.class);
            application.setRegisterShutdownHook(false);
            application.setEnvironment(environment(settings));
            application.addInitializers(
                    (ApplicationContextInitializer<GenericApplicationContext>)
                            context -> {
                                // Boot has put the command line before it.
                                MutablePropertySources sources =
                                        context.getEnvironment().getPropertySources();
                                sources.addFirst(Objects.requireNonNull(sources.remove(OWN)));
                                ending.in(context, out);
                            });
            return application;
        }

        private static ConfigurableEnvironment environment(Map<String, Object> settings) {
            ConfigurableEnvironment environment = new StandardEnvironment();
            Map<String, Object> own = new HashMap<>(LOGS);
            own.putAll(settings);
            environment.getPropertySources().addFirst(new MapPropertySource(OWN, own));
            return environment;
        }

        /** Returns the arguments for Boot. */
        private String[] read() {
            List<String> read =
                    arguments.stream()
                            .filter(KubeMirrorApplication::isProperty)
                            .collect(Collectors.toCollection(ArrayList::new));
            List<String> files =
                    arguments.stream()
                            .filter(one -> !KubeMirrorApplication.isProperty(one))
                            .toList();
            if (!files.isEmpty()) {
                read.add(
                        "--spring.config.location=optional:classpath:/,"
                                + files.stream()
                                        .map(this::location)
                                        .collect(Collectors.joining(",")));
            }
            return read.toArray(String[]::new);
        }

        private String location(String file) {
            CommandLine line = Objects.requireNonNull(command).commandLine();
            if (file.startsWith("-")) {
                throw new ParameterException(line, "unknown option '" + file + "'");
            }
            if (!Files.isReadable(Path.of(file))) {
                throw new ParameterException(line, "cannot read the file '" + file + "'");
            }
            if (!file.matches("(?i).*\\.(ya?ml|properties)")) {
                throw new ParameterException(
                        line, "'" + file + "' has no name that ends with .yaml or .properties");
            }
            return "file:" + file;
        }
    }
}
