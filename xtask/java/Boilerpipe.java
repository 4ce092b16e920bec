// Runs boilerpipe's extractors over a folder of pages: one JSON line for each page.
//
// usage: java -cp JARS Boilerpipe.java PAGES OUT EXTRACTOR…
//
// A line has the page's `id`, its `title`, its `blocks` before any extractor, and the `texts` that
// the extractors made. Pages that are not UTF-8 are read as windows-1252 and come with that
// reading, as `page`. A page that boilerpipe cannot read has an `error` instead of blocks.

import de.l3s.boilerpipe.BoilerpipeExtractor;
import de.l3s.boilerpipe.document.TextBlock;
import de.l3s.boilerpipe.document.TextDocument;
import de.l3s.boilerpipe.extractors.ArticleExtractor;
import de.l3s.boilerpipe.extractors.ArticleSentencesExtractor;
import de.l3s.boilerpipe.extractors.CanolaExtractor;
import de.l3s.boilerpipe.extractors.DefaultExtractor;
import de.l3s.boilerpipe.extractors.KeepEverythingExtractor;
import de.l3s.boilerpipe.extractors.LargestContentExtractor;
import de.l3s.boilerpipe.extractors.NumWordsRulesExtractor;
import de.l3s.boilerpipe.sax.BoilerpipeSAXInput;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.xml.sax.InputSource;

final class Boilerpipe {
    public static void main(String[] args) throws Exception {
        List<String> extractors = Arrays.asList(args).subList(2, args.length);
        List<Path> pages;
        try (Stream<Path> files = Files.list(Path.of(args[0]))) {
            pages = files.filter(file -> file.toString().endsWith(".html")).sorted().toList();
        }
        // boilerpipe warns of every nested link.
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        try (Writer out = Files.newBufferedWriter(Path.of(args[1]))) {
            for (Path page : pages) {
                out.write(line(page, extractors));
                out.write('\n');
            }
        }
    }

    private static String line(Path file, List<String> extractors) throws Exception {
        byte[] bytes = Files.readAllBytes(file);
        String id = file.getFileName().toString().replaceAll("\\.html$", "");
        StringBuilder json = new StringBuilder("{\"id\":").append(quoted(id));
        String page;
        try {
            page = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException notUtf8) {
            page = new String(bytes, Charset.forName("windows-1252"));
            json.append(",\"page\":").append(quoted(page));
        }
        try {
            TextDocument document = parse(page);
            json.append(",\"title\":");
            json.append(document.getTitle() == null ? "null" : quoted(document.getTitle()));
            json.append(",\"blocks\":").append(blocks(document)).append(",\"texts\":{");
            String comma = "";
            for (String extractor : extractors) {
                TextDocument extracted = parse(page);
                extractor(extractor).process(extracted);
                json.append(comma).append(quoted(extractor)).append(':');
                json.append(quoted(extracted.getContent()));
                comma = ",";
            }
            return json.append("}}").toString();
        } catch (Exception | StackOverflowError error) {
            return "{\"id\":" + quoted(id) + ",\"error\":" + quoted(error.toString()) + "}";
        }
    }

    private static TextDocument parse(String page) throws Exception {
        return new BoilerpipeSAXInput(new InputSource(new StringReader(page))).getTextDocument();
    }

    private static BoilerpipeExtractor extractor(String name) {
        return switch (name) {
            case "article" -> ArticleExtractor.INSTANCE;
            case "sentences" -> ArticleSentencesExtractor.INSTANCE;
            case "default" -> DefaultExtractor.INSTANCE;
            case "largest" -> LargestContentExtractor.INSTANCE;
            case "canola" -> CanolaExtractor.INSTANCE;
            case "num-words" -> NumWordsRulesExtractor.INSTANCE;
            case "keep-all" -> KeepEverythingExtractor.INSTANCE;
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static String blocks(TextDocument document) {
        Stream<String> blocks = document.getTextBlocks().stream().map(Boilerpipe::block);
        return blocks.collect(Collectors.joining(",", "[", "]"));
    }

    private static String block(TextBlock block) {
        return "{\"words\":" + block.getNumWords()
            + ",\"linked_words\":" + block.getNumWordsInAnchorText()
            + ",\"text_density\":" + block.getTextDensity()
            + ",\"text\":" + quoted(block.getText()) + "}";
    }

    /** A JSON string; half a surrogate pair becomes U+FFFD. */
    private static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 16).append('"');
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                json.append('\\').append((char) c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", c));
            } else if (c >= 0xd800 && c < 0xe000) {
                json.append('\ufffd');
            } else {
                json.appendCodePoint(c);
            }
        });
        return json.append('"').toString();
    }
}
