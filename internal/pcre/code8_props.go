package pcre

// Property values by number (ucp.h of PCRE 8.44).
var (
	general8    = []string{"C", "L", "M", "N", "P", "S", "Z"}
	particular8 = []string{
		"Cc", "Cf", "Cn", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No", "Pc", "Pd", "Pe",
		"Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs",
	}
)

// scripts8 are the scripts of Unicode 7 by number.
var scripts8 = []string{
	"Arabic", "Armenian", "Bengali", "Bopomofo", "Braille", "Buginese", "Buhid", "Canadian_Aboriginal", "Cherokee",
	"Common", "Coptic", "Cypriot", "Cyrillic", "Deseret", "Devanagari", "Ethiopic", "Georgian", "Glagolitic", "Gothic",
	"Greek", "Gujarati", "Gurmukhi", "Han", "Hangul", "Hanunoo", "Hebrew", "Hiragana", "Inherited", "Kannada",
	"Katakana", "Kharoshthi", "Khmer", "Lao", "Latin", "Limbu", "Linear_B", "Malayalam", "Mongolian", "Myanmar",
	"New_Tai_Lue", "Ogham", "Old_Italic", "Old_Persian", "Oriya", "Osmanya", "Runic", "Shavian", "Sinhala",
	"Syloti_Nagri", "Syriac", "Tagalog", "Tagbanwa", "Tai_Le", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan",
	"Tifinagh", "Ugaritic", "Yi", "Balinese", "Cuneiform", "Nko", "Phags_Pa", "Phoenician", "Carian", "Cham",
	"Kayah_Li", "Lepcha", "Lycian", "Lydian", "Ol_Chiki", "Rejang", "Saurashtra", "Sundanese", "Vai", "Avestan",
	"Bamum", "Egyptian_Hieroglyphs", "Imperial_Aramaic", "Inscriptional_Pahlavi", "Inscriptional_Parthian", "Javanese",
	"Kaithi", "Lisu", "Meetei_Mayek", "Old_South_Arabian", "Old_Turkic", "Samaritan", "Tai_Tham", "Tai_Viet", "Batak",
	"Brahmi", "Mandaic", "Chakma", "Meroitic_Cursive", "Meroitic_Hieroglyphs", "Miao", "Sharada", "Sora_Sompeng",
	"Takri", "Bassa_Vah", "Caucasian_Albanian", "Duployan", "Elbasan", "Grantha", "Khojki", "Khudawadi", "Linear_A",
	"Mahajani", "Manichaean", "Mende_Kikakui", "Modi", "Mro", "Nabataean", "Old_North_Arabian", "Old_Permic",
	"Pahawh_Hmong", "Palmyrene", "Psalter_Pahlavi", "Pau_Cin_Hau", "Siddham", "Tirhuta", "Warang_Citi",
}

// caseless8 are the sets of more than two characters that differ in case only,
// by their place in the library's table.
var caseless8 = map[int][]rune{
	1:  {0x53, 0x73, 0x17f},
	5:  {0x1c4, 0x1c5, 0x1c6},
	9:  {0x1c7, 0x1c8, 0x1c9},
	13: {0x1ca, 0x1cb, 0x1cc},
	17: {0x1f1, 0x1f2, 0x1f3},
	21: {0x345, 0x399, 0x3b9, 0x1fbe},
	26: {0xb5, 0x39c, 0x3bc},
	30: {0x3a3, 0x3c2, 0x3c3},
	34: {0x392, 0x3b2, 0x3d0},
	38: {0x398, 0x3b8, 0x3d1, 0x3f4},
	43: {0x3a6, 0x3c6, 0x3d5},
	47: {0x3a0, 0x3c0, 0x3d6},
	51: {0x39a, 0x3ba, 0x3f0},
	55: {0x3a1, 0x3c1, 0x3f1},
	59: {0x395, 0x3b5, 0x3f5},
	63: {0x1e60, 0x1e61, 0x1e9b},
	67: {0x3a9, 0x3c9, 0x2126},
	71: {0x4b, 0x6b, 0x212a},
	75: {0xc5, 0xe5, 0x212b},
}
